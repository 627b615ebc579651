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
