// Users and their roles, in sentences.

import { html, useState } from "../../lib/html.js";
import { command } from "../../lib/http.js";
import { Confirm, FormDialog } from "../../parts/dialog.js";
import { Asked, Empty } from "../../parts/panel.js";
import { refresh } from "../../state/session.js";
import { useResource } from "../../state/resource.js";

/** What the usual roles allow; others are shown by their names. */
const ROLES = {
  root: () => "may do everything",
  readAnyDatabase: () => "reads everything",
  readWriteAnyDatabase: () => "reads and writes everything",
  userAdminAnyDatabase: () => "makes and ends users",
  dbAdminAnyDatabase: () => "makes collections and indexes everywhere",
  clusterMonitor: () => "sees the server's state",
  clusterAdmin: () => "runs the server",
  backup: () => "makes backups",
  restore: () => "restores backups",
  read: (db) => `reads ${db}`,
  readWrite: (db) => `reads and writes ${db}`,
  dbAdmin: (db) => `makes collections and indexes in ${db}`,
  userAdmin: (db) => `makes and ends users of ${db}`,
  dbOwner: (db) => `owns ${db}`,
};
const sentence = ({ role, db }) => (Object.hasOwn(ROLES, role) ? ROLES[role](db) : `has the role ${role} of ${db}`);
const OF_ADMIN = ["root", "readAnyDatabase", "readWriteAnyDatabase", "userAdminAnyDatabase", "dbAdminAnyDatabase", "clusterMonitor", "clusterAdmin", "backup", "restore"];

export function Users() {
  const { data, error, loading, reload } = useResource((signal) => command("admin", { usersInfo: { forAllDBs: true } }, { signal }), []);
  const [dialog, setDialog] = useState(null);
  const close = () => setDialog(null);
  const changed = () => {
    reload();
    refresh();
  };
  const users = data?.users ?? [];
  return html`
    <div class="row"><button class="primary" onClick=${() => setDialog({ kind: "new" })}>New user</button></div>
    <${Asked} loading=${loading} error=${error} reload=${reload} />
    ${data && !users.length && html`<${Empty}><p>There are no users: everybody on this machine may do everything. The first one should be an administrator (root).</p><//>`}
    ${users.length > 0 && html`<div class="scroll"><table class="rows">
      <thead><tr><th>Name</th><th>Database</th><th>May</th><th><span class="hidden">Deeds</span></th></tr></thead>
      <tbody>${users.map((user) => html`<tr key=${user._id}><td>${user.user}</td><td>${user.db}</td><td>${user.roles.map(sentence).join("; ") || "nothing"}</td>
        <td class="nowrap"><button class="quiet" onClick=${() => setDialog({ kind: "roles", user })}>Roles</button><button class="quiet" onClick=${() => setDialog({ kind: "password", user })}>Password</button><button class="quiet" aria-label=${`Remove ${user.user}`} onClick=${() => setDialog({ kind: "remove", user })}>Remove</button></td></tr>`)}</tbody>
    </table></div>`}
    ${dialog?.kind === "new" && html`<${Edit} title="New user" close=${close} isNew run=${async ({ name, password, roles }) => { await command("admin", { createUser: name, pwd: password, roles }); changed(); }} />`}
    ${dialog?.kind === "roles" && html`<${Edit} title=${`Roles of ${dialog.user.user}`} begin=${dialog.user.roles} close=${close} run=${async ({ roles }) => { await command(dialog.user.db, { updateUser: dialog.user.user, roles }); changed(); }} />`}
    ${dialog?.kind === "password" && html`<${Password} user=${dialog.user} close=${close} />`}
    ${dialog?.kind === "remove" && html`<${Confirm} title="Remove a user" text=${`${dialog.user.user} cannot sign in any more, by any protocol.${users.length === 1 ? " No user is left then: everybody on this machine may do everything." : ""}`} action="Remove" close=${close} run=${async () => { await command(dialog.user.db, { dropUser: dialog.user.user }); changed(); }} />`}`;
}

function Edit({ title, isNew, begin = [], run, close }) {
  const [roles, setRoles] = useState(begin.map(({ role, db }) => ({ role, db })));
  const add = ({ target: { form } }) => {
    const role = form.elements.role.value;
    const db = OF_ADMIN.includes(role) ? "admin" : form.elements.db.value.trim() || "default";
    setRoles([...roles.filter((one) => one.role !== role || one.db !== db), { role, db }]);
  };
  return html`<${FormDialog} title=${title} action="Save" disabled=${isNew && !roles.length} run=${({ name, password }) => run({ name, password, roles })} close=${close}>
    ${isNew && html`<label>Name <input name="name" required autocomplete="off" autofocus /></label><label>Password <input name="password" type="password" required autocomplete="new-password" /></label>`}
    <ul class="plain-list">${roles.map((one) => html`<li class="row" key=${one.role + one.db}><span>${sentence(one)}</span><button type="button" class="quiet icon" aria-label=${`Without: ${sentence(one)}`} onClick=${() => setRoles(roles.filter((other) => other !== one))}>✕</button></li>`)}</ul>
    <div class="row"><select name="role" aria-label="Role">${Object.keys(ROLES).map((role) => html`<option key=${role}>${role}</option>`)}</select><input name="db" aria-label="Database of the role" placeholder="default" /><button type="button" onClick=${add}>Add the role</button></div>
  <//>`;
}

function Password({ user, close }) {
  return html`<${FormDialog} title=${`Password of ${user.user}`} action="Save" run=${({ password }) => command(user.db, { updateUser: user.user, pwd: password })} close=${close}>
    <label>New password <input name="password" type="password" required autocomplete="new-password" autofocus /></label>
  <//>`;
}
