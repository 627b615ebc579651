// Who is signed in.

import { signal } from "./signal.js";

/** `{users, user, version, host}`; null until the server has said it. */
export const session = signal(null);
/** Why the server could not be asked; null while it answers. */
export const offline = signal(null);

let rounds = 0;
/** Who was signed in before the sign-in was over. */
let last;

/** Asks who is signed in. Where the sign-in is over its form comes over the view, whose text stays. */
export async function refresh() {
  const round = ++rounds;
  let [answer, why] = [session.value, null];
  try {
    const response = await fetch("/api/session");
    answer = await response.json();
    if (!response.ok) throw new Error(answer.reason);
  } catch (error) {
    [answer, why] = [session.value, error instanceof TypeError ? "no connection" : error.message];
  }
  // Answers may come in another order than they were asked for.
  if (round !== rounds) return;
  const name = answer?.user?.name;
  // What is on the screen was asked with the rights of somebody else.
  if (name && last && name !== last) return location.reload();
  last = name ?? last;
  session.value = answer;
  offline.value = why;
}

export const mustSignIn = (now) => Boolean(now?.users && !now.user);

const BUILT_IN = ["read", "readWrite", "dbAdmin", "dbOwner", "userAdmin", "readAnyDatabase", "readWriteAnyDatabase", "userAdminAnyDatabase", "dbAdminAnyDatabase", "clusterMonitor", "clusterManager", "clusterAdmin", "hostManager", "backup", "restore", "root", "enableSharding"];

/** Why a user may not write to a database; undefined where he may, or where only the server can tell, for roles that people made. */
export function whyNotWrite(database, now = session.value) {
  if (!now?.users || !now.user) return undefined;
  const may = now.user.roles.some(({ role, db }) => ["root", "readWriteAnyDatabase", "restore"].includes(role) || (["readWrite", "dbOwner"].includes(role) && db === database) || !BUILT_IN.includes(role));
  return may ? undefined : `${now.user.name} may only read here: the role readWrite of ${database} allows it`;
}
