import * as z from 'zod'
import { isSame } from '../../diff/json.ts'
import { ParityRun } from './parity-run.ts'
import { Summary, summarise } from './summary.ts'

/** The report of a run, version 2. Any other version is rejected. */
export const ParityReport = z
  .strictObject({ version: z.literal(2), run: ParityRun, summary: Summary })
  .refine(({ run, summary }) => isSame(summary, summarise(run)), {
    error: 'does not match the run',
    path: ['summary'],
  })
export type ParityReport = z.infer<typeof ParityReport>

/** Creates a run's report. Throws if the run is invalid, so that every written report can be read again. */
export const createReport = (run: ParityRun): ParityReport =>
  ParityReport.parse({ version: 2, run, summary: summarise(run) })

export const formatParityJson = (report: ParityReport) => `${JSON.stringify(report, null, 2)}\n`

/** Parses a report. Throws if it is invalid or its summary does not match its run. */
export const parseParityJson = (text: string): ParityReport => ParityReport.parse(JSON.parse(text))
