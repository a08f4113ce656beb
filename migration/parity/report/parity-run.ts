import type { Label } from '#contracts/route-table.ts'
import type { Verdict } from '../../diff/verdict.ts'

export interface RecordedRequest {
  readonly method: string
  /** The route table's path, with parameter names instead of values, plus the query string. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
}

interface RecordedSide {
  readonly response: number
  readonly durationMs: number | null
}

/** A request and both of its responses, as indexes into the run's lists. */
export interface Recording {
  readonly request: number
  readonly native: RecordedSide
  readonly core: RecordedSide
}

export interface Comparison extends Verdict {
  readonly scenario: string
  /** Absent if the scenario could not run. */
  readonly recording?: Recording
}

export interface ComparedRow {
  readonly label: Label
  readonly method: string
  readonly path: string
  readonly statuses: readonly number[]
  /**
   * The evidence key of the compared native code; null if the code runs on a different machine, which makes the key
   * unknown, or if the run could not compare the route.
   */
  readonly evidenceKey: string | null
  readonly unseenShapes: readonly string[]
}

export interface ParityRun {
  /** ISO timestamps. */
  readonly startedAt: string
  readonly finishedAt: string
  /** The compared deployments, each named by a build or by a URL without credentials. */
  readonly native: string
  readonly core: string
  /** Commit of the native code, with `-dirty` if files have changed since; null if unknown. */
  readonly commit: string | null
  readonly rows: readonly ComparedRow[]
  readonly comparisons: readonly Comparison[]
  readonly requests: readonly RecordedRequest[]
  readonly responses: readonly string[]
  readonly warnings: readonly string[]
}

export const toComparison = (
  scenario: string,
  { label, native, core, differences, ...verdict }: Verdict,
  recording?: Recording,
): Comparison => ({
  label,
  scenario,
  native,
  core,
  class: verdict.class,
  differences,
  ...(recording === undefined ? {} : { recording }),
})
