import type { SplitSheet } from '#contracts/shared/split-sheet.ts'
import type { SplitSheetRow } from '#db/queries/split-sheets.ts'

// The service keeps no record of the people and companies behind the ids.
const unknownParty = { name: null, pro: null, ipi: null }

const entryOf = (entry: SplitSheetRow['master'][number]) => ({ ...entry, ...unknownParty, role: null })

const subPublisherOf = (sub: SplitSheetRow['publishers'][number]['subPublishers'][number]) => ({
  ...sub,
  ...unknownParty,
  territories: [...sub.territories],
  collectionSplits: [...sub.collectionSplits],
})

const publisherOf = (publisher: SplitSheetRow['publishers'][number]) => ({
  ...publisher,
  ...unknownParty,
  subPublishers: publisher.subPublishers.map(subPublisherOf),
  collectionSplits: [...publisher.collectionSplits],
})

const noSheet = (trackId: string): SplitSheet => ({
  trackId,
  address: '',
  intendedUse: '',
  master: [],
  writers: [],
  publishers: [],
  status: { isComplete: false, validationErrors: [], validatedAt: null },
  createdAt: null,
  updatedAt: null,
})

/** A track's split sheet as callers see it; a track without one has an empty sheet. What is stored balances. */
export const presentSplitSheet = (trackId: string, sheet: SplitSheetRow | null): SplitSheet => {
  if (!sheet) return noSheet(trackId)
  const { address, intendedUse, master, writers, publishers, validatedAt, createdAt, updatedAt } = sheet
  return {
    trackId,
    address,
    intendedUse,
    master: master.map(entryOf),
    writers: writers.map(entryOf),
    publishers: publishers.map(publisherOf),
    status: { isComplete: address !== '' && intendedUse !== '', validationErrors: [], validatedAt },
    createdAt,
    updatedAt,
  }
}
