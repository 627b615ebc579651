// What `explain` tells, as the picture needs it: who raced, what each read, why indexes were not used, which would help.

import { number, print } from "./ejson.js";

/** Walks a plan from its leaf to its root. */
function stagesOf(stage) {
  if (!stage) return [];
  const within = stage.inputStages ?? [stage.inputStage ?? stage.queryPlan].filter(Boolean);
  return [...within.flatMap(stagesOf), stage];
}

/** The name of a plan: the indexes that it reads. */
function planName(plan) {
  const names = stagesOf(plan).map((stage) => stage.indexName ?? (stage.stage === "COLLSCAN" ? "whole collection" : stage.stage === "IDHACK" || stage.stage === "EXPRESS_IXSCAN" ? "_id_" : undefined)).filter(Boolean);
  return [...new Set(names)].join(" + ") || plan?.stage || "nothing";
}

/** @param {object} reply @param {object} command @param {{name: string, key: object}[]} indexes */
export function readExplain(reply, command, indexes) {
  const cursor = reply.stages?.[0]?.$cursor ?? reply;
  const planner = cursor.queryPlanner ?? {};
  const stats = cursor.executionStats ?? reply.executionStats;
  const asked = questionOf(command);
  const plans = [planner.winningPlan, ...(planner.rejectedPlans ?? [])].filter(Boolean);
  // The first of all plans is the winner, as far as it had come when it won.
  const runs = [stats, ...(stats?.allPlansExecution ?? []).slice(1)];
  const lanes = plans.map((plan, at) => laneOf(plan, runs[at], at === 0, asked));
  const winner = lanes[0];
  const after = (reply.stages ?? []).slice(1);
  const used = new Set(plans.flatMap((plan) => stagesOf(plan).map(({ indexName }) => indexName)));
  return {
    lanes, winner,
    ms: number(stats?.executionTimeMillis),
    returned: number(stats?.nReturned) || 0,
    funnel: funnelOf(stats, after),
    notUsed: notUsed(indexes, used, planner.indexesNotUsed ?? {}, asked),
    advice: adviceOf(asked, winner, indexes),
  };
}

/** The filter and the order that a command asks for. */
function questionOf(command) {
  const stages = command.pipeline ?? [];
  const match = stages[0]?.$match;
  const order = match ? stages[1] : stages[0];
  const filter = command.filter ?? command.query ?? command.updates?.[0]?.q ?? command.deletes?.[0]?.q ?? match ?? {};
  return { filter, sort: command.sort ?? order?.$sort ?? {} };
}

function laneOf(plan, run, isWinner, { sort }) {
  const stages = stagesOf(plan);
  const [keys, documents, returned] = ["totalKeysExamined", "totalDocsExamined", "nReturned"].map((name) => number(run?.[name]) || 0);
  const sorts = stages.some(({ stage }) => stage === "SORT");
  const scans = stages.some(({ stage }) => stage === "COLLSCAN");
  const says = isWinner
    ? `${scans ? "read every document" : "found by the index"}${sorts ? ", then sorted" : Object.keys(sort).length ? ", in order" : ""}`
    : sorts && !returned ? "must read all that matches before it can sort; stopped" : `stopped at ${returned.toLocaleString()} results`;
  return { name: planName(plan), isWinner, keys, documents, returned, works: Math.max(keys, documents, 1), sorts, scans, says, plan };
}

const SAYS = { IXSCAN: "keys read", COLLSCAN: "documents read", FETCH: "fetched and kept", SORT: "sorted", LIMIT: "within the limit", SKIP: "after the skip", PROJECTION_COVERED: "projected from keys", PROJECTION_SIMPLE: "projected", PROJECTION_DEFAULT: "projected", OR: "united", AND_SORTED: "in all", COUNT: "counted", COUNT_SCAN: "keys counted", DISTINCT_SCAN: "keys jumped to", GROUP: "groups", IDHACK: "found by _id", EXPRESS_IXSCAN: "found by its key", EXPRESS_CLUSTERED_IXSCAN: "found by _id" };

/** What goes in at the leaf, and what is left after each stage. */
function funnelOf(stats, after) {
  const stages = stagesOf(stats?.executionStages);
  const steps = [];
  for (const stage of stages) {
    const read = number(stage.keysExamined ?? stage.docsExamined);
    if (["IXSCAN", "COLLSCAN", "COUNT_SCAN", "DISTINCT_SCAN"].includes(stage.stage)) steps.push({ label: `${SAYS[stage.stage]}${stage.indexName ? ` in ${stage.indexName}` : ""}`, n: read || 0 });
    const n = number(stage.nReturned) || 0;
    steps.push({ label: stage.stage === "IXSCAN" ? "keys that fit" : stage.stage === "COLLSCAN" ? "documents that fit" : (SAYS[stage.stage] ?? stage.stage.toLowerCase()), n });
  }
  for (const stage of after) {
    const n = number(stage.nReturned);
    steps.push({ label: Object.keys(stage).find((name) => name.startsWith("$")) ?? "stage", n: Number.isNaN(n) ? null : n });
  }
  return steps;
}

/** The fields that a filter compares, and how: `equal`, `range` or `other`. */
function comparedFields(filter, found = {}) {
  for (const [name, value] of Object.entries(filter ?? {})) {
    if (["$and", "$or", "$nor"].includes(name) && Array.isArray(value)) value.forEach((part) => comparedFields(part, found));
    else if (!name.startsWith("$")) found[name] ??= comparison(value);
  }
  return found;
}

function comparison(value) {
  const operators = value && typeof value === "object" && !Array.isArray(value) ? Object.keys(value).filter((name) => /^\$(eq|in|gt|gte|lt|lte|ne|nin|exists|regex|type|size|all|elemMatch|not|mod|near|nearSphere|geoWithin|geoIntersects|where|text)$/.test(name)) : [];
  if (!operators.length) return value?.$regularExpression ? "other" : "equal";
  if (operators.every((name) => name === "$eq" || name === "$in")) return "equal";
  return operators.some((name) => /^\$(gte?|lte?)$/.test(name)) ? "range" : "other";
}

function notUsed(indexes, used, told, { filter, sort }) {
  const named = new Set([...Object.keys(comparedFields(filter)), ...Object.keys(sort)]);
  return indexes.filter(({ name }) => !used.has(name)).map(({ name, key }) => {
    const [first] = Object.keys(key);
    const why = told[name] ?? (named.has(first) || first === "_id" && named.has("_id") ? "another index promised less to read, so it did not race" : `neither the filter nor the sort names its first field, ${first}`);
    return { name, why };
  });
}

/** An index that would help: equality first, then the order, then a range; never one that is there. */
function adviceOf({ filter, sort }, winner, indexes) {
  if (!winner) return { text: "No plan was made." };
  const fields = comparedFields(filter);
  const of = (kind) => Object.keys(fields).filter((name) => fields[name] === kind);
  const [equal, range, order] = [of("equal"), of("range"), Object.entries(sort)];
  const waste = winner.works / Math.max(1, winner.returned);
  if (!winner.scans && !winner.sorts && waste < 20) return { text: `None: an index serves this query already, with ${winner.works === winner.returned ? "one key" : `${waste.toFixed(1)} keys`} a result.` };
  const key = {};
  for (const name of equal) key[name] = 1;
  for (const [name, direction] of order) key[name] ??= number(direction) || 1;
  for (const name of range) key[name] ??= 1;
  if (!Object.keys(key).length || Object.keys(key)[0] === "_id") return { text: winner.scans ? "None: the filter compares nothing that an index could find." : "None." };
  const text = print(key);
  const isThere = indexes.some((index) => print(index.key) === text || print(index.key).replace(" }", ",").startsWith(text.replace(" }", ",")));
  const parts = range.length && order.length && !order.some(([name]) => range.includes(name));
  const why = [equal.length && `${equal.join(", ")} by equality first`, order.length && `then the order by ${order.map(([name]) => name).join(", ")}`, range.length && `then the range of ${range.join(", ")}`].filter(Boolean).join(", ");
  if (isThere) return { text: parts ? `None: the range on ${range.join(", ")} and the order by ${order.map(([name]) => name).join(", ")} cannot share the front of an index, and both ways round are there or were tried.` : "None: such an index is there." };
  return { key, text: `An index ${text}: ${why}.` };
}
