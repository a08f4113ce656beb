import type { SplitSheet } from '#contracts/shared/split-sheet.ts'
import type { SplitSheetRow } from '#db/queries/tracks/split-sheets.ts'

// The service has no records of the people and companies behind the ids.
const unknownParty = { name: null, pro: null, ipi: null }

const presentEntry = (entry: SplitSheetRow['master'][number]) => ({ ...entry, ...unknownParty, role: null })

const presentSubPublisher = (sub: SplitSheetRow['publishers'][number]['subPublishers'][number]) => ({
  ...sub,
  ...unknownParty,
  territories: [...sub.territories],
  collectionSplits: [...sub.collectionSplits],
})

const presentPublisher = (publisher: SplitSheetRow['publishers'][number]) => ({
  ...publisher,
  ...unknownParty,
  subPublishers: publisher.subPublishers.map(presentSubPublisher),
  collectionSplits: [...publisher.collectionSplits],
})

const emptySheet = (trackId: string): SplitSheet => ({
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

/** Stored sheets always balance. */
export const presentSplitSheet = (trackId: string, sheet: SplitSheetRow | null): SplitSheet => {
  if (!sheet) return emptySheet(trackId)
  const { address, intendedUse, master, writers, publishers, validatedAt, createdAt, updatedAt } = sheet
  return {
    trackId,
    address,
    intendedUse,
    master: master.map(presentEntry),
    writers: writers.map(presentEntry),
    publishers: publishers.map(presentPublisher),
    status: { isComplete: address !== '' && intendedUse !== '', validationErrors: [], validatedAt },
    createdAt,
    updatedAt,
  }
}
