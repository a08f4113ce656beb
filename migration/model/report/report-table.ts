/** A table of the report, the same in every format. */
export interface ReportTable {
  readonly title: string
  readonly columns: readonly { readonly name: string; readonly kind?: 'number' | 'time' }[]
  readonly rows: readonly (readonly string[])[]
  /** Shown instead of a table without rows. */
  readonly empty: string
}

export const columnOf = (name: string) => ({ name })
export const numberColumnOf = (name: string) => ({ name, kind: 'number' }) as const
export const timeColumnOf = (name: string) => ({ name, kind: 'time' }) as const

/** Formats a time in UTC: `2026-11-25 09:33`. Never a relative time, because a report may be read much later. */
export const formatReportTime = (at: string) => at.slice(0, 16).replace('T', ' ')
