import type { NativeSide } from '../request/platform.ts'
import { findReplay, type ReplayDependencies } from './idempotency/find-replay.ts'
import type { HandlersByLabel } from './run-route.ts'
import { type ServeNativeDependencies, serveNative } from './serve-native.ts'

export interface NativeSideDependencies extends ServeNativeDependencies, ReplayDependencies {}

export const createNativeSide = (
  handlers: HandlersByLabel,
  dependencies: NativeSideDependencies,
): NativeSide => ({
  serve: (decision, context, ports) => serveNative(decision, context, handlers, dependencies, ports),
  findReplay: (decision, context, ports) => findReplay(decision, context, dependencies, ports),
})
