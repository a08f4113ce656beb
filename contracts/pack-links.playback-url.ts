import { contract } from './shared/contract.ts'
import * as packLinks from './shared/pack-links.ts'

export const issue = contract('pack-links.playback-url.issue', packLinks.playback)
