import { record } from '#contracts/pack-links.share-events.ts'
import { defineRoute } from '../define-route.ts'
import { recordShareEvent } from './record-share-event.ts'

export const recordPackShareEvent = defineRoute(record, recordShareEvent)
