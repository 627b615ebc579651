// Signing in: over the view, so that what was typed there stays.

import { html, useState } from "../lib/html.js";
import { ask } from "../lib/http.js";
import { Dialog } from "../parts/dialog.js";
import { refresh, session } from "../state/session.js";

export default function SignIn() {
  const [error, setError] = useState(null);
  const [busy, setBusy] = useState(false);
  const submit = async (event) => {
    event.preventDefault();
    const given = new FormData(event.target);
    setBusy(true);
    try {
      await ask("POST", "/api/session", { body: { name: given.get("name"), password: given.get("password"), stay: given.has("stay") } });
      await refresh();
    } catch (failed) {
      setError(failed.message);
      setBusy(false);
    }
  };
  const far = location.protocol === "http:" && !["localhost", "127.0.0.1", "[::1]"].includes(location.hostname);
  return html`<${Dialog} title=${`Sign in to ${session.value.host}`} close=${() => {}}>
    <form onSubmit=${submit}>
      ${far && html`<p class="note">This connection is not encrypted: others on the network can read the password.</p>`}
      <label>Name <input name="name" autocomplete="username" required autofocus /></label>
      <label>Password <input name="password" type="password" autocomplete="current-password" required aria-describedby="sign-in-error" aria-invalid=${Boolean(error)} /></label>
      <label class="check"><input type="checkbox" name="stay" /> Stay signed in for 30 days</label>
      <p id="sign-in-error" class="error" role="alert">${error}</p>
      <p class="actions"><button class="primary" disabled=${busy}>Sign in</button></p>
    </form>
  <//>`;
}
