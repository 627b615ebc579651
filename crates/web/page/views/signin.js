// Signing in: over the view, so that what was typed there stays.

import { html } from "../lib/html.js";
import { ask } from "../lib/http.js";
import { Dialog, Form } from "../parts/dialog.js";
import { refresh, session } from "../state/session.js";

export default function SignIn() {
  const run = async ({ name, password, stay }) => {
    await ask("POST", "/api/session", { body: { name, password, stay: Boolean(stay) } });
    await refresh();
  };
  const far = location.protocol === "http:" && !["localhost", "127.0.0.1", "[::1]"].includes(location.hostname);
  return html`<${Dialog} title=${`Sign in to ${session.value.host}`}>
    <${Form} action="Sign in" run=${run}>
      ${far && html`<p class="note">This connection is not encrypted: others on the network can read the password.</p>`}
      <label>Name <input name="name" autocomplete="username" required autofocus /></label>
      <label>Password <input name="password" type="password" autocomplete="current-password" required /></label>
      <label class="check"><input type="checkbox" name="stay" /> Stay signed in for 30 days</label>
    <//>
  <//>`;
}
