import { contract } from './shared/contract.ts'
import * as packLinks from './shared/pack-links.ts'

export const detail = contract('pack-links.detail', packLinks.presentation)

export const presentation = contract('pack-links.presentation', packLinks.presentation)
