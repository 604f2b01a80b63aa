// Plays frames that the kernel computed ahead, one after the other: how an answer is shown in a lesson.
import { stillness } from "./dom.js";

export function createFilm({ show }) {
  let timer = 0;
  function stop() {
    clearTimeout(timer);
    timer = 0;
  }
  function play({ scenes, interval_ms }) {
    stop();
    const queue = stillness() ? scenes.slice(-1) : [...scenes];
    const next = () => {
      const scene = queue.shift();
      show(scene, !queue.length);
      if (queue.length) timer = setTimeout(next, interval_ms);
    };
    timer = setTimeout(next, 0); // after the frame that came in the same message, which stops whatever runs
  }
  return { play, stop };
}
