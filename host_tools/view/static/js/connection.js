// Keeps the page in touch with the server: every event is the whole state, so the next one makes all right again.

const QUIET_MS = 5000; // a board that is there makes an event each second; after this we ask whether the server lives
const ANSWER_MS = 3000;
const AGAIN_MS = 1000;

/** Calls onOpen() each time that a connection is made, onState(state) for each state, onLost() when there is none. */
export function follow({ onOpen, onState, onLost }) {
  let source;
  let heardAt = 0;

  function open() {
    source = new EventSource("api/events");
    source.addEventListener("open", () => { heard(); onOpen(); });
    source.addEventListener("state", (event) => { heard(); onState(JSON.parse(event.data)); });
    source.addEventListener("error", () => {
      onLost();
      if (source.readyState === EventSource.CLOSED) reopen(); // refused: the browser itself does not try again
    });
  }

  function heard() {
    heardAt = performance.now();
  }

  function reopen() {
    source.close();
    setTimeout(open, AGAIN_MS);
  }

  // A line may be dead without an error, when the server's computer was switched off.
  setInterval(async () => {
    if (source.readyState !== EventSource.OPEN || performance.now() - heardAt < QUIET_MS) return;
    const asked = source;
    try {
      const answer = await fetch("api/state", { cache: "no-store", signal: AbortSignal.timeout(ANSWER_MS) });
      if (!answer.ok) throw new Error(answer.statusText);
      heard();
    } catch {
      if (asked !== source || source.readyState !== EventSource.OPEN) return;
      onLost();
      reopen();
    }
  }, QUIET_MS);

  open();
}
