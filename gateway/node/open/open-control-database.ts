import type { Database } from '#db/client/connection.ts'
import { openRoutingDatabase, type RoutingDatabaseSettings } from '../../routing/open-routing-database.ts'

/**
 * Opens the connections with which operators, automatic stops and the fleet evaluation change the routing state. They are
 * not those of the requests, because clients who exhaust these are a reason to kill a route.
 */
export const openControlDatabase = (settings: RoutingDatabaseSettings): Database =>
  openRoutingDatabase(settings, {
    applicationName: 'crossfade-control',
    connections: 3,
    statementTimeoutMs: 2000,
  })
