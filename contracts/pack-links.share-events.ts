import { contract } from './shared/contract.ts'
import * as packLinks from './shared/pack-links.ts'

export const record = contract('pack-links.share-events.record', packLinks.shareEvent)
