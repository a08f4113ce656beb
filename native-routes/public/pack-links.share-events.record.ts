import { record } from '#contracts/public.pack-links.share-events.ts'
import { defineRoute } from '../define-route.ts'
import { recordShareEvent } from '../pack-links/record-share-event.ts'

export const recordPublicPackShareEvent = defineRoute(record, recordShareEvent)
