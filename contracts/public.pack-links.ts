import { contract } from './shared/contract.ts'
import * as packLinks from './shared/pack-links.ts'

export const detail = contract('public.pack-links.detail', packLinks.presentation)
