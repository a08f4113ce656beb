import type { Finding } from '#contracts/shared/catalog-findings.ts'
import { subjectOfTrack } from './find-track-findings.ts'
import type { UnbalancedSheet } from './read-unbalanced-sheets.ts'

const actionOf = {
  master_total_mismatch: 'Correct the master shares so that they add up to 100 percent.',
  writers_total_mismatch: "Correct the writers' shares so that they add up to 100 percent.",
  publishers_total_mismatch: "Correct the publishers' shares so that they add up to 100 percent.",
  publisher_writer_unknown: 'Assign each publisher to a writer of the sheet.',
  publisher_writer_exceeds_share: "Reduce the publishers' shares to at most their writers' shares.",
  duplicate_collaborator: 'Combine the shares of each collaborator.',
  sub_publishers_exceed_parent:
    "Reduce the sub-publishers' shares so that they add up to at most 100 percent in each territory.",
  duplicate_collection_split: 'Enter each right once in each territory.',
} as const

export const describeUnbalancedSheets = (unbalanced: readonly UnbalancedSheet[]): Finding[] =>
  unbalanced.map((sheet) => {
    const [{ code, path, expected, actual }] = sheet.issues
    const sum = actual === undefined ? '' : ` (${actual} percent instead of ${expected})`
    const more = sheet.issueCount === 1 ? '' : ` and ${sheet.issueCount - 1} more`
    return {
      kind: 'split_sheet_unbalanced',
      // Payments are based on the sheet.
      severity: 'blocker',
      subject: subjectOfTrack(sheet),
      message: `The split sheet is out of balance: ${code} at ${path}${sum}${more}.`,
      action: actionOf[code],
    }
  })
