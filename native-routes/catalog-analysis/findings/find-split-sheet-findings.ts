import type { StructuralIssue } from '#contracts/errors.ts'
import type { Finding } from '#contracts/shared/catalog-findings.ts'
import { listSplitSheetsOfOwner } from '#db/queries/catalog-analysis/catalog-split-sheets.ts'
import { findSplitSheet, type SplitSheetRow } from '#db/queries/tracks/split-sheets.ts'
import { findImbalances } from '../../tracks/split-sheet-balance.ts'
import type { ToolScope } from '../tools/define-tool.ts'
import { readBatches, subjectOfTrack } from './find-track-findings.ts'

// at most 2 MB of short sheets
const batchSize = 500

/** A long sheet may have thousands of issues. */
export const maxIssues = 10

export interface UnbalancedSheet {
  readonly id: string
  readonly title: string
  readonly issues: readonly [StructuralIssue, ...StructuralIssue[]]
  readonly issueCount: number
}

type Shares = Pick<SplitSheetRow, 'master' | 'writers' | 'publishers'>

/** Returns null if the sheet balances, as every sheet does that this service has stored. */
export const checkSplitSheet = (
  { id, title }: Pick<UnbalancedSheet, 'id' | 'title'>,
  shares: Shares,
): UnbalancedSheet | null => {
  const issues = findImbalances(shares)
  const [first, ...others] = issues.slice(0, maxIssues)
  return first ? { id, title, issues: [first, ...others], issueCount: issues.length } : null
}

/** Only one batch of short sheets, or one long sheet, is in memory at a time. */
export const readUnbalancedSheets = async ({ db, accountId, signal }: ToolScope) => {
  const unbalanced: UnbalancedSheet[] = []
  let sheets = 0
  const batches = readBatches(batchSize, (range) => listSplitSheetsOfOwner(db, accountId, range))
  for await (const batch of batches) {
    sheets += batch.length
    for (const track of batch) {
      signal?.throwIfAborted()
      const shares = track.shares ?? (await findSplitSheet(db, track.id))
      const found = shares && checkSplitSheet(track, shares)
      if (found) unbalanced.push(found)
    }
  }
  return { sheets, unbalanced }
}

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
