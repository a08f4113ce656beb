import type { Label } from '#contracts/route-table.ts'

export interface Preparation {
  /** The names that the scenario imports, by file in `test/scenarios`. */
  readonly imports: Readonly<Record<string, readonly string[]>>
  readonly steps: readonly string[]
  /** The request, as an object literal. */
  readonly request: string
}

export type Preparations = { readonly [L in Label]?: Preparation }
