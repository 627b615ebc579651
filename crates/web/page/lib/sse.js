// An event stream, read by fetch: a reader that is slow fills its connection, and the server stops.

import { send } from "./http.js";

/** The server says every 15 s that it is there: a connection that is silent for longer has gone without a word. */
const SILENT_MS = 40_000;

/** @returns {AsyncGenerator<{event: string, data: any}>} */
export async function* events(path, signal) {
  const response = await send(path, { signal });
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let [begun, silence] = ["", 0];
  try {
    for (;;) {
      silence = setTimeout(() => reader.cancel(), SILENT_MS);
      const { done, value } = await reader.read();
      clearTimeout(silence);
      if (done) return;
      const blocks = (begun + value).split("\n\n");
      begun = blocks.pop();
      for (const block of blocks) {
        const event = /^event: (.*)$/m.exec(block)?.[1] ?? "message";
        const data = /^data: (.*)$/m.exec(block)?.[1];
        yield { event, data: data ? JSON.parse(data) : null };
      }
    }
  } finally {
    clearTimeout(silence);
    reader.cancel().catch(() => {});
  }
}
