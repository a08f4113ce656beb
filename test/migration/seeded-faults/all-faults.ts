import { billingFaults } from './billing.ts'
import { libraryFaults } from './libraries.ts'
import { libraryWriteFaults } from './library-writes.ts'
import { publicPageFaults } from './public-pages.ts'
import { shareLinkFaults } from './share-links.ts'
import { splitSheetFaults } from './split-sheets.ts'
import { trackFileFaults } from './track-files.ts'
import { trackFaults } from './tracks.ts'

export const allFaults = [
  ...libraryFaults,
  ...libraryWriteFaults,
  ...trackFaults,
  ...trackFileFaults,
  ...splitSheetFaults,
  ...shareLinkFaults,
  ...publicPageFaults,
  ...billingFaults,
]
