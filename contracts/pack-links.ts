import { defineContract } from './shared/contract.ts'
import * as packLinks from './shared/pack-links.ts'

export const detail = defineContract('pack-links.detail', packLinks.presentation)

export const presentation = defineContract('pack-links.presentation', packLinks.presentation)
