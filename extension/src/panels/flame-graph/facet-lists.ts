// What a graph can be filtered by, cut to what a list can show: a VM may have millions of processes.

import type { Facet } from "../../../../contract/capture-answers.js";
import type { FacetList, FacetLists } from "../../../../contract/messages/flame-graph.js";
import type { Facets } from "../../capture/questions.js";

const LONGEST_LIST = 200;

/** All values in their own order; of too many the largest. And how many there are. */
export function largest(values: readonly Facet[], most = LONGEST_LIST): FacetList {
  const shown = values.length <= most ? values : [...values].sort((a, b) => b.samples - a.samples).slice(0, most);
  return { values: shown, count: values.length };
}

export function facetLists(facets: Facets): FacetLists {
  // Nodes, schedulers and classes are few, except in some foreign files.
  return {
    nodes: largest(facets.nodes),
    schedulers: largest(facets.schedulers),
    processes: largest(facets.processes),
    classes: largest(facets.classes),
  };
}

/** Those whose name contains the query, upper and lower case alike. */
export function matching(values: readonly Facet[], query: string): FacetList {
  const wanted = query.trim().toLowerCase();
  return largest(wanted === "" ? values : values.filter(({ value }) => value.toLowerCase().includes(wanted)));
}
