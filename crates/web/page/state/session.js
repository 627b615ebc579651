// Who is signed in.

import { signal } from "./signal.js";

/** `{users, user, version, host}`; null until the server has said it. */
export const session = signal(null);
/** Why the server could not be asked; null while it answers. */
export const offline = signal(null);

export async function refresh() {
  try {
    const response = await fetch("/api/session");
    const answer = await response.json();
    if (!response.ok) throw new Error(answer.reason);
    session.value = answer;
    offline.value = null;
  } catch (error) {
    offline.value = error instanceof TypeError ? "no connection" : error.message;
  }
}

/** The sign-in is over: its form comes over the view, whose text stays. */
export function lost() {
  if (session.value) session.value = { ...session.value, users: true, user: null };
}

export const mustSignIn = (now) => Boolean(now?.users && !now.user);

const BUILT_IN = ["read", "readWrite", "dbAdmin", "dbOwner", "userAdmin", "readAnyDatabase", "readWriteAnyDatabase", "userAdminAnyDatabase", "dbAdminAnyDatabase", "clusterMonitor", "clusterManager", "clusterAdmin", "hostManager", "backup", "restore", "root", "enableSharding"];

/** Why a user may not write to a database; undefined where he may, or where only the server can tell, for roles that people made. */
export function whyNotWrite(database, now = session.value) {
  if (!now?.users || !now.user) return undefined;
  const may = now.user.roles.some(({ role, db }) => ["root", "readWriteAnyDatabase", "restore"].includes(role) || (["readWrite", "dbOwner"].includes(role) && db === database) || !BUILT_IN.includes(role));
  return may ? undefined : `${now.user.name} may only read here: the role readWrite of ${database} allows it`;
}
