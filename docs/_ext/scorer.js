// The order of search results. Sphinx counts words, so that "which metric" finds each title with "metric", by alphabet:
// a title that has the words as they were typed comes first, and pages that explain come before lists of names.
var Scorer = {
  score: ([page, title, , , score, , kind]) => {
    const asked = (new URLSearchParams(window.location.search).get("q") ?? "").trim().toLowerCase();
    const isTitled = kind !== "object" && asked !== "" && title.toLowerCase().includes(asked);
    const folders = { tutorials: 4, howto: 4, metrics: 3, explanation: 3 };
    return score + (isTitled ? 20 : 0) + (folders[page.split("/")[0]] ?? 0);
  },
  // As in Sphinx.
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
