import { defineContract } from './shared/contract.ts'
import { SplitSheet } from './shared/split-sheet.ts'
import { SplitSheetInput } from './shared/split-sheet-input.ts'

export const detail = defineContract('tracks.split-sheet.detail', {
  responses: { 200: SplitSheet },
})

export const replace = defineContract('tracks.split-sheet.replace', {
  body: SplitSheetInput,
  responses: { 200: SplitSheet },
  errors: ['split_sheet_structural_validation_failed'],
})
