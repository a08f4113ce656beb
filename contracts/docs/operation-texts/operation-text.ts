import type { Label } from '../../route-table.ts'

/** What readers of the API description need to know about an operation. */
export interface OperationText {
  /** A few words, as in a table of contents. */
  readonly summary: string
  readonly description: string
  /** What a successful response means. If there are several success statuses, what each of them means. */
  readonly success: string | Readonly<Record<number, string>>
  readonly body?: object
}

/** The texts of an area's operations, by label. The area is the first part of the label. */
export type TextsOf<Area extends string> = {
  readonly [L in Extract<Label, `${Area}.${string}`>]: OperationText
}
