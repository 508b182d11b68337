// Asks the server's API. The token of whoever writes is kept for this window alone and goes into a header, never into a URL.

const KEPT = "tumbler.token";

export const token = () => sessionStorage.getItem(KEPT);
export const keepToken = (text) => (text ? sessionStorage.setItem(KEPT, text) : sessionStorage.removeItem(KEPT));

/** -> {ok, status, body}; status 0 when the server does not answer. `body` of a refusal is a problem with its `detail`. */
export async function ask(method, path, { body, key } = {}) {
  const headers = {};
  if (token()) headers.Authorization = `Bearer ${token()}`;
  if (body !== undefined) headers["Content-Type"] = "application/json";
  if (key) headers["Idempotency-Key"] = key;
  try {
    const answer = await fetch(path, { method, headers, body: body === undefined ? undefined : JSON.stringify(body), cache: "no-store" });
    return { ok: answer.ok, status: answer.status, body: await answer.json() };
  } catch {
    return { ok: false, status: 0, body: {} };
  }
}

/** A name for a batch of wagers that no other batch has; crypto.randomUUID is missing on plain HTTP. */
export const newKey = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
