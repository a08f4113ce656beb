import { defineContract } from './shared/contract.ts'
import * as packLinks from './shared/pack-links.ts'

export const record = defineContract('pack-links.share-events.record', packLinks.shareEvent)
