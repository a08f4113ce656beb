import type { Finding } from '#contracts/shared/catalog-findings.ts'
import { listSplitSheetsOfOwner } from '#db/queries/catalog-split-sheets.ts'
import { findImbalances } from '../../tracks/split-sheet-balance.ts'
import type { ToolScope } from '../tools/define-tool.ts'
import { subjectOfTrack } from './find-track-findings.ts'
import { readBatches } from './read-batches.ts'

/** The split sheets of the account, by the newest track first. */
export const readSplitSheets = ({ db, accountId }: ToolScope) =>
  readBatches((range) => listSplitSheetsOfOwner(db, accountId, range))

type Sheets = Awaited<ReturnType<typeof readSplitSheets>>

const actionOf = {
  master_total_mismatch: 'Correct the master shares so that they add up to 100 percent.',
  writers_total_mismatch: 'Correct the shares of the writers so that they add up to 100 percent.',
  publishers_total_mismatch: 'Correct the shares of the publishers so that they add up to 100 percent.',
  publisher_writer_unknown: 'Assign each publisher to a writer of the sheet.',
  publisher_writer_exceeds_share: 'Reduce the shares of the publishers to those of their writers.',
  duplicate_collaborator: 'Combine the shares of each collaborator.',
  sub_publishers_exceed_parent: 'Reduce the shares of the sub-publishers to 100 percent in each territory.',
  duplicate_collection_split: 'Enter each right once in each territory.',
} as const

/** The sheets that break a rule of split sheets, with what they break. The service itself stores no such sheets. */
export const findUnbalancedSheets = (sheets: Sheets) =>
  sheets.flatMap((sheet) => {
    const [first, ...others] = findImbalances(sheet)
    return first ? [{ ...sheet, issues: [first, ...others] as const }] : []
  })

export const describeUnbalancedSheets = (unbalanced: ReturnType<typeof findUnbalancedSheets>): Finding[] =>
  unbalanced.map((sheet) => {
    const [{ code, path, expected, actual }, ...others] = sheet.issues
    const sum = actual === undefined ? '' : ` (${actual} percent instead of ${expected})`
    const more = others.length === 0 ? '' : ` and ${others.length} more`
    return {
      kind: 'split_sheet_unbalanced',
      // Payments follow the sheet.
      severity: 'blocker',
      subject: subjectOfTrack(sheet),
      message: `The split sheet is out of balance: ${code} at ${path}${sum}${more}.`,
      action: actionOf[code],
    }
  })
