import * as z from 'zod'
import { openEnum } from './primitives.ts'

/** The kind of a request to analyse one version. `media_intelligence` is the analysis service. */
export const DispatchKind = openEnum(['media_intelligence'])

export const DispatchStatus = z.enum(['queued', 'dispatched', 'running', 'succeeded', 'failed'])
