import type { Label } from '../../route-table.ts'

export interface OperationText {
  readonly summary: string
  readonly description: string
  /** What a successful response means. If there are several success statuses, what each of them means. */
  readonly success: string | Readonly<Record<number, string>>
  readonly body?: object
}

export type TextsOf<Area extends string> = {
  readonly [L in Extract<Label, `${Area}.${string}`>]: OperationText
}
