// What the page keeps and asks for at most, so that neither grows with the data.

/** Documents of a page. */
export const PAGE = 50;
/** Documents of a collection in the window. */
export const DOCUMENTS_MAX = 1000;
/** Collections of a list; others are found by their names. */
export const COLLECTIONS_MAX = 300;
/** Columns of a table. */
export const COLUMNS_MAX = 40;
/** Longer texts and binaries are cut by the server. */
export const TRIM_BYTES = 2048;
/** Lines of a log in the window. */
export const LINES_MAX = 2000;
/** Lines asked for at once. */
export const LINES_PAGE = 200;
/** Arriving lines that are kept while somebody reads elsewhere. */
export const ARRIVING_MAX = 5000;
/** Bars of a histogram. */
export const BARS_MAX = 120;
/** Points of a series. */
export const POINTS_MAX = 600;
/** Series of a graph. */
export const SERIES_MAX = 12;
/** Documents that an import sends at once. */
export const BATCH = 1000;
/** Bytes of a file by which an import finds out what it is. */
export const DETECT_BYTES = 65_536;
/** Results of the console. */
export const RESULTS_MAX = 1000;
/** Queries that are remembered. */
export const HISTORY_MAX = 200;
/** Files of a page. */
export const FILES_PAGE = 200;
/** Bytes of a text file that are shown. */
export const TEXT_BYTES = 262_144;
