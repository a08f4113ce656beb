import * as z from 'zod'
import { isSame } from '../diff/json.ts'
import { ParityRun } from './parity-run.ts'
import { Summary, summarise } from './summary.ts'

/** The file of a run. Version 1; a reader refuses any other. */
export const ParityReport = z
  .strictObject({ version: z.literal(1), run: ParityRun, summary: Summary })
  .refine(({ run, summary }) => isSame(summary, summarise(run)), {
    error: 'does not follow from the run',
    path: ['summary'],
  })
export type ParityReport = z.infer<typeof ParityReport>

/** A run with what follows from it. A verdict that no reader could take back is refused here. */
export const createReport = (run: ParityRun): ParityReport =>
  ParityReport.parse({ version: 1, run, summary: summarise(run) })

export const writeParityJson = (report: ParityReport) => `${JSON.stringify(report, null, 2)}\n`

/** Reads a report back; throws where it is none or its numbers are not those of its run. */
export const readParityJson = (text: string): ParityReport => ParityReport.parse(JSON.parse(text))
