// The page: a bar, and the view that the address names. Views are loaded when they are first wanted.

import { html, render, useEffect, useErrorBoundary, useLayoutEffect, useState } from "./lib/html.js";
import { Bar } from "./parts/bar.js";
import { Failure } from "./parts/panel.js";
import { KeyHelp, followKeys } from "./parts/keys.js";
import { offline, mustSignIn, refresh, session } from "./state/session.js";
import { followTheme, settings } from "./state/settings.js";
import { route } from "./state/route.js";
import { useSignal } from "./state/signal.js";

const VIEWS = {
  start: () => import("./views/start.js"),
  logs: () => import("./views/logs.js"),
  graphs: () => import("./views/graphs.js"),
  board: () => import("./views/board.js"),
  docs: () => import("./views/docs.js"),
  query: () => import("./views/query.js"),
  files: () => import("./views/files.js"),
  server: () => import("./views/server.js"),
};
const RETRY_MS = 4000;

function App() {
  const { view, segments, params } = useSignal(route);
  const now = useSignal(session);
  const why = useSignal(offline);
  // Every time that is shown is in the zone that was chosen.
  useSignal(settings);
  useEffect(() => {
    if (!why) return;
    const again = setInterval(refresh, RETRY_MS);
    return () => clearInterval(again);
  }, [why]);
  return html`
    <a class="skip" href="#main" onClick=${skip}>Skip to the view</a>
    <${Bar} view=${view} session=${now} />
    ${why && html`<p class="offline" role="status">The server does not answer (${why}). Trying again every 4 s; what is shown is what was known.</p>`}
    <main id="main" tabindex="-1">
      ${now && html`<${View} name=${view} segments=${segments} params=${params} key=${view} />`}
    </main>
    ${mustSignIn(now) && html`<${Lazy} load=${() => import("./views/signin.js")} props=${{}} />`}
    <${KeyHelp} />`;
}

function View({ name, segments, params }) {
  const load = Object.hasOwn(VIEWS, name) ? VIEWS[name] : undefined;
  const [error, retry] = useErrorBoundary();
  useEffect(() => {
    document.title = `${[...segments.slice(1, 2), name[0].toUpperCase() + name.slice(1)].join(" · ")} – Larder`;
    retry();
  }, [name, segments.join("/")]);
  if (!load) return html`<section class="view"><h1>Nothing here</h1><p>There is no view called ${name}. <a href="#/start">To the start</a></p></section>`;
  if (error) return html`<section class="view"><h1>This cannot be shown</h1><${Failure} error=${error} retry=${retry} /></section>`;
  return html`<${Lazy} load=${load} props=${{ segments, params }} />`;
}

function Lazy({ load, props }) {
  const [loaded, setLoaded] = useState(null);
  useLayoutEffect(() => {
    load().then((module) => setLoaded({ component: module.default }), (error) => setLoaded({ error }));
  }, []);
  if (!loaded) return null;
  if (loaded.error) return html`<${Failure} error=${loaded.error} retry=${() => location.reload()} />`;
  return html`<${loaded.component} ...${props} />`;
}

function skip(event) {
  event.preventDefault();
  document.getElementById("main").focus();
}

// A file that misses its place would be opened by the browser instead of the page.
for (const kind of ["dragover", "drop"]) addEventListener(kind, (event) => event.dataTransfer.types.includes("Files") && event.preventDefault());
followTheme();
followKeys();
// The first view is on its way while the server says who is signed in; one that does not come is told where it is shown.
if (Object.hasOwn(VIEWS, route.value.view)) VIEWS[route.value.view]().catch(() => {});
refresh();
const root = document.getElementById("app");
// The bar that the page came with.
root.replaceChildren();
render(html`<${App} />`, root);
