import type { Label } from '#contracts/route-table.ts'
import { isTwoSided } from '#contracts/shared/row.ts'
import { isConclusive, type RowSummary } from '../report/summary.ts'

interface GapOptions {
  /** Routes that should succeed at least once. A gap is reported for each route that does not. */
  readonly labels: readonly Label[]
  /** Summaries of the compared routes. */
  readonly rows: readonly RowSummary[]
  /** Routes that returned a success to some request of the run. */
  readonly succeeded: ReadonlySet<Label>
}

const whyNotCompared = (label: Label) =>
  isTwoSided(label)
    ? 'not compared: it has no handler or is not part of this run'
    : 'only native serves it, so its own tests must show that it succeeds'

/** Returns a sentence for each route that no scenario has shown to succeed. */
export const describeSuccessGaps = ({ labels, rows, succeeded }: GapOptions): string[] => {
  const summaries = new Map(rows.map((row) => [row.label, row]))
  return labels.flatMap((label) => {
    const row = summaries.get(label)
    if (row === undefined)
      return succeeded.has(label) ? [] : [`${label}: no scenario sees it succeed (${whyNotCompared(label)})`]
    return isConclusive(row)
      ? []
      : [`${label}: no scenario sees it succeed on both sides (add a scenario for it)`]
  })
}
