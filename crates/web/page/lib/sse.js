// An event stream, read by fetch: a reader that is slow fills its connection, and the server stops.

/** @returns {AsyncGenerator<{event: string, data: any}>} */
export async function* events(path, signal) {
  const response = await fetch(path, { signal });
  if (!response.ok) throw new Error(((await response.json().catch(() => null))?.error?.reason) ?? `HTTP status ${response.status}`);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let begun = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const blocks = (begun + value).split("\n\n");
    begun = blocks.pop();
    for (const block of blocks) {
      const event = /^event: (.*)$/m.exec(block)?.[1] ?? "message";
      const data = /^data: (.*)$/m.exec(block)?.[1];
      yield { event, data: data ? JSON.parse(data) : null };
    }
  }
}
