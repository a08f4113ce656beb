import { defineContract } from './shared/contract.ts'
import * as packLinks from './shared/pack-links.ts'

export const issue = defineContract('pack-links.playback-url.issue', packLinks.playback)
