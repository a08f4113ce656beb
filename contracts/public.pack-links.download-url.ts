import { defineContract } from './shared/contract.ts'
import * as packLinks from './shared/pack-links.ts'

export const issue = defineContract('public.pack-links.download-url.issue', packLinks.download)
