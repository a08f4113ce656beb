import { contract } from './shared/contract.ts'
import { SplitSheet } from './shared/split-sheet.ts'
import { SplitSheetInput } from './shared/split-sheet-input.ts'

export const detail = contract('tracks.split-sheet.detail', {
  responses: { 200: SplitSheet },
})

export const replace = contract('tracks.split-sheet.replace', {
  body: SplitSheetInput,
  responses: { 200: SplitSheet },
  errors: ['split_sheet_structural_validation_failed'],
})
