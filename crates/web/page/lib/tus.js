// Uploads that go on after an interruption: the tus protocol 1.0, as much of it as a browser needs.

import { Refusal, pause, send } from "./http.js";

const PIECE_BYTES = 8 << 20;
const WAIT_MS = [1000, 2000, 5000, 10_000, 30_000];
const VERSION = { "Tus-Resumable": "1.0.0" };

const base64 = (text) => btoa(String.fromCharCode(...new TextEncoder().encode(text)));

const ask = (method, url, { headers, ...rest }) => send(url, { method, headers: { ...VERSION, ...headers }, ...rest });

/** Begins an upload. @returns {Promise<string>} its address, under which it goes on after a reload */
export async function begin(bucket, file, name, signal) {
  const kind = file.type ? `,filetype ${base64(file.type)}` : "";
  const headers = { "Upload-Length": String(file.size), "Upload-Metadata": `filename ${base64(name)}${kind}` };
  const response = await ask("POST", `/uploads/${encodeURIComponent(bucket)}`, { headers, signal });
  return new URL(response.headers.get("Location"), location.href).pathname;
}

/** Bytes that the server has; null where it does not know the upload any more. */
export async function offsetOf(url, signal) {
  try {
    return Number((await ask("HEAD", url, { signal })).headers.get("Upload-Offset"));
  } catch (error) {
    if (error.status === 404 || error.status === 410) return null;
    throw error;
  }
}

/** Ends an upload that nobody wants any more. */
export const abandon = (url) => ask("DELETE", url, {}).catch(() => null);

/**
 * Sends what is missing, piece by piece; what fails on the way is tried again after a look at how far it came.
 * @param {string} url @param {Blob} file @param {(bytes: number, error?: Error) => void} tell
 */
export async function upload(url, file, tell, signal) {
  let offset = await offsetOf(url, signal);
  if (offset === null) throw new Refusal("The upload has expired: begin again.", 404);
  for (let failures = 0; offset < file.size; ) {
    try {
      const headers = { "Upload-Offset": String(offset), "Content-Type": "application/offset+octet-stream" };
      const response = await ask("PATCH", url, { headers, body: file.slice(offset, offset + PIECE_BYTES), signal });
      offset = Number(response.headers.get("Upload-Offset"));
      failures = 0;
      tell(offset);
    } catch (error) {
      if (error.name === "AbortError" || (error.status >= 400 && error.status < 500 && ![409, 423, 429].includes(error.status))) throw error;
      tell(offset, error);
      await pause(WAIT_MS[Math.min(failures++, WAIT_MS.length - 1)], signal);
      offset = (await offsetOf(url, signal).catch(() => null)) ?? offset;
    }
  }
  tell(offset);
}
