import * as z from 'zod'
import { openEnum } from './primitives.ts'

/** The kind of work that is dispatched to another service. */
export const DispatchKind = openEnum(['media_intelligence'])

export const DispatchStatus = z.enum(['queued', 'dispatched', 'running', 'succeeded', 'failed'])
