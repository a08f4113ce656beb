import { defineContract } from './shared/contract.ts'
import * as packLinks from './shared/pack-links.ts'

export const detail = defineContract('public.pack-links.detail', packLinks.presentation)
