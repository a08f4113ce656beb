// Generated from the API description by `npm run client-types`: do not edit.

export interface paths {
    "/v1/billing/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the plan and the subscription
         * @description Returns the account's plan, the state of its subscription, and the plans it can choose.
         */
        get: operations["billing.status"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/billing/checkout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Start a subscription
         * @description Creates a checkout session at the billing provider. Open its `url` in a browser, where the customer pays.
         */
        post: operations["billing.checkout"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/billing/portal": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Open the billing portal
         * @description Creates a portal session, where the customer can manage cards and invoices. Open its `url` in a browser.
         */
        post: operations["billing.portal"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/billing/change-plan": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Change the plan
         * @description Switches a live subscription to a different plan immediately. Without a subscription, creates a checkout session, as `billing.checkout` does.
         */
        post: operations["billing.change-plan"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/billing/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel at the end of the period
         * @description The subscription ends with its current period. Cancelling it again has no effect.
         */
        post: operations["billing.cancel"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/billing/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Undo a cancellation
         * @description The subscription continues after its current period. Resuming it again has no effect.
         */
        post: operations["billing.resume"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tracks/{trackId}/tags": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a track.
                 * @example trk_5b8e6a01
                 */
                trackId: components["parameters"]["trackId"];
            };
            cookie?: never;
        };
        /**
         * List the tags of a track
         * @description Returns the tags by category, the most certain first.
         */
        get: operations["tracks.tags.detail"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tracks/{trackId}/peaks": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a track.
                 * @example trk_5b8e6a01
                 */
                trackId: components["parameters"]["trackId"];
            };
            cookie?: never;
        };
        /**
         * Read the waveform of a track
         * @description Returns the current version's peaks in audiowaveform's format.
         */
        get: operations["tracks.peaks.detail"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tracks/{trackId}/rights": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a track.
                 * @example trk_5b8e6a01
                 */
                trackId: components["parameters"]["trackId"];
            };
            cookie?: never;
        };
        /**
         * Read the rights of a track
         * @description A placeholder, always empty. The split sheet says who owns the track.
         */
        get: operations["tracks.rights.detail"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tracks/{trackId}/lyrics": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a track.
                 * @example trk_5b8e6a01
                 */
                trackId: components["parameters"]["trackId"];
            };
            cookie?: never;
        };
        /**
         * Read the lyrics of a track
         * @description Returns the text and, if known, its lines with their times.
         */
        get: operations["tracks.lyrics.detail"];
        /**
         * Replace the lyrics of a track
         * @description Replaces the text and the lines. Send at least one of the two, and order the lines by `startMs`. Empty text without lines clears the lyrics.
         */
        put: operations["tracks.lyrics.replace"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tracks/{trackId}/stems": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a track.
                 * @example trk_5b8e6a01
                 */
                trackId: components["parameters"]["trackId"];
            };
            cookie?: never;
        };
        /**
         * List the stems of a track
         * @description Returns the separated or uploaded parts of the recording. Without `limit`, it returns all of them.
         */
        get: operations["tracks.stems.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tracks/{trackId}/versions": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a track.
                 * @example trk_5b8e6a01
                 */
                trackId: components["parameters"]["trackId"];
            };
            cookie?: never;
        };
        /**
         * List the versions of a track
         * @description Returns the versions by ascending number. Without `limit`, it returns all of them.
         */
        get: operations["tracks.versions.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tracks/{trackId}/media-assets": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a track.
                 * @example trk_5b8e6a01
                 */
                trackId: components["parameters"]["trackId"];
            };
            cookie?: never;
        };
        /**
         * List the artwork and the documents of a track
         * @description Returns files with signed URLs, newest first. Without `limit`, it returns all of them.
         */
        get: operations["tracks.media-assets.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tracks/{trackId}/split-sheet": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a track.
                 * @example trk_5b8e6a01
                 */
                trackId: components["parameters"]["trackId"];
            };
            cookie?: never;
        };
        /**
         * Read the split sheet of a track
         * @description Returns who owns which share of the recording and the composition. If no sheet is stored, returns an empty one, which counts as incomplete.
         */
        get: operations["tracks.split-sheet.detail"];
        /**
         * Replace the split sheet of a track
         * @description Stores the sheet if its shares add up: master, writers and, if there are any, publishers must each total 100 percent.
         */
        put: operations["tracks.split-sheet.replace"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tracks/{trackId}/metadata": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a track.
                 * @example trk_5b8e6a01
                 */
                trackId: components["parameters"]["trackId"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change the metadata of a track
         * @description Changes the fields you send. `null` clears a code or the release date.
         */
        patch: operations["tracks.metadata.update"];
        trace?: never;
    };
    "/v1/tracks/{trackId}/playback-url": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a track.
                 * @example trk_5b8e6a01
                 */
                trackId: components["parameters"]["trackId"];
            };
            cookie?: never;
        };
        /**
         * Play a track
         * @description Returns a signed URL for the current version's audio. The URL supports range requests.
         */
        get: operations["tracks.playback-url.issue"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tracks/{trackId}/download-url": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a track.
                 * @example trk_5b8e6a01
                 */
                trackId: components["parameters"]["trackId"];
            };
            cookie?: never;
        };
        /**
         * Download a track's file
         * @description Returns a signed URL to download a file: by default, the original of the current version.
         */
        get: operations["tracks.download-url.issue"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tracks/{trackId}/processing-status": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a track.
                 * @example trk_5b8e6a01
                 */
                trackId: components["parameters"]["trackId"];
            };
            cookie?: never;
        };
        /**
         * Read a track's processing status
         * @description Returns the processing lanes, which succeed or fail independently. Stop polling once no lane is `pending` or `processing`. A `queued` stage with an `error` is waiting for the dependency that the error code names, and is retried for 24 hours. Nothing is wrong with the file.
         */
        get: operations["tracks.processing.status"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tracks/{trackId}/processing/media-intelligence/retry": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a track.
                 * @example trk_5b8e6a01
                 */
                trackId: components["parameters"]["trackId"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Analyse a track again
         * @description Repeats the analysis of the current version: tags, stems, lyrics and embeddings. If the version failed because a dependency was unavailable for over a day, it is processed again from the start.
         */
        post: operations["tracks.processing.retry"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tracks/{trackId}/versions/uploads": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a track.
                 * @example trk_5b8e6a01
                 */
                trackId: components["parameters"]["trackId"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Start a version upload
         * @description Send the file to `signedUrl` with PUT and exactly the `requiredHeaders`, then call `finalizeUrl` with POST. The first version of a track becomes its current one. `contentType` is one of `audio/mpeg`, `audio/mp3`, `audio/wav`, `audio/x-wav`, `audio/wave`, `audio/vnd.wave`, `audio/flac`, `audio/x-flac`, `audio/aiff`, `audio/x-aiff`, `audio/mp4`, `audio/x-m4a`, `audio/aac`, `audio/ogg`, `audio/opus`, `audio/webm`. These other names for the same types are also accepted, but not by the legacy core: `audio/x-aifc`, `audio/m4a`, `audio/x-m4b`, `video/mp4`, `video/webm`. The two video types are for files that contain only sound.
         */
        post: operations["tracks.versions.upload"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tracks/{trackId}/versions/{versionId}/promote": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a track.
                 * @example trk_5b8e6a01
                 */
                trackId: components["parameters"]["trackId"];
                /**
                 * @description The id of a version of the track.
                 * @example ver_93c7f0e4
                 */
                versionId: components["parameters"]["versionId"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make a version the current one
         * @description Playback, waveform and analysis then use this version. If the version failed because a dependency was unavailable for over a day, it is processed again.
         */
        post: operations["tracks.versions.promote"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tracks/{trackId}/versions/{versionId}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a track.
                 * @example trk_5b8e6a01
                 */
                trackId: components["parameters"]["trackId"];
                /**
                 * @description The id of a version of the track.
                 * @example ver_93c7f0e4
                 */
                versionId: components["parameters"]["versionId"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete a version
         * @description Deletes a version other than the original. If it was the current one, the original takes its place.
         */
        delete: operations["tracks.versions.remove"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tracks/{trackId}/artwork/uploads": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a track.
                 * @example trk_5b8e6a01
                 */
                trackId: components["parameters"]["trackId"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Start an artwork upload
         * @description Send the file to `signedUrl` with PUT and exactly the `requiredHeaders`, then call `finalizeUrl` with POST. `contentType` is one of `image/jpeg`, `image/png`, `image/webp`, `image/gif`, `image/avif`, `image/heic`, `image/heif`, `image/tiff`. These other names for the same types are also accepted, but not by the legacy core: `image/apng`.
         */
        post: operations["tracks.artwork.upload"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tracks/{trackId}/documents/uploads": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a track.
                 * @example trk_5b8e6a01
                 */
                trackId: components["parameters"]["trackId"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Start a document upload
         * @description Send the file to `signedUrl` with PUT and exactly the `requiredHeaders`, then call `finalizeUrl` with POST. `contentType` is one of `application/pdf`, `application/rtf`, `application/msword`, `application/vnd.openxmlformats-officedocument.wordprocessingml.document`, `application/vnd.openxmlformats-officedocument.spreadsheetml.sheet`, `application/vnd.openxmlformats-officedocument.presentationml.presentation`, `application/vnd.ms-excel`, `application/vnd.ms-powerpoint`, `application/vnd.oasis.opendocument.text`, `application/vnd.oasis.opendocument.spreadsheet`, `application/vnd.oasis.opendocument.presentation`, `text/plain`, `text/markdown`, `text/csv`, `image/jpeg`, `image/png`, `image/webp`, `image/gif`, `image/avif`, `image/heic`, `image/heif`, `image/tiff`. These other names for the same types are also accepted, but not by the legacy core: `text/rtf`, `image/apng`.
         */
        post: operations["tracks.documents.upload"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tracks/{trackId}/uploads/{uploadId}/finalize": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a track.
                 * @example trk_5b8e6a01
                 */
                trackId: components["parameters"]["trackId"];
                /**
                 * @description The id of an upload of the track.
                 * @example upl_6f0b3c91
                 */
                uploadId: string;
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Finish an upload
         * @description Checks that the file arrived as declared and adds it to the track. Finalizing twice returns the same response.
         */
        post: operations["tracks.uploads.finalize"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tracks/{trackId}/share-links": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a track.
                 * @example trk_5b8e6a01
                 */
                trackId: components["parameters"]["trackId"];
            };
            cookie?: never;
        };
        /**
         * List the share links to a track
         * @description Returns the links, newest first, including revoked and expired ones. Tokens are not returned again.
         */
        get: operations["tracks.share-links.list"];
        put?: never;
        /**
         * Create a share link to a track
         * @description Creates a link. Anyone who has it can play the track. Keep `token`: it is returned only once.
         */
        post: operations["tracks.share-links.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tracks/{trackId}/share-links/{linkId}/reset": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a track.
                 * @example trk_5b8e6a01
                 */
                trackId: components["parameters"]["trackId"];
                /**
                 * @description The id of a share link.
                 * @example lnk_30d7f85c
                 */
                linkId: components["parameters"]["linkId"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replace the token of a share link
         * @description The previous token stops working at once. The name and expiry do not change.
         */
        post: operations["tracks.share-links.reset"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tracks/{trackId}/share-links/{linkId}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a track.
                 * @example trk_5b8e6a01
                 */
                trackId: components["parameters"]["trackId"];
                /**
                 * @description The id of a share link.
                 * @example lnk_30d7f85c
                 */
                linkId: components["parameters"]["linkId"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke a share link to a track
         * @description The link stops working at once. Revoking it again has no effect.
         */
        delete: operations["tracks.share-links.revoke"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tracks/{trackId}/split-sheet/share-links": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a track.
                 * @example trk_5b8e6a01
                 */
                trackId: components["parameters"]["trackId"];
            };
            cookie?: never;
        };
        /**
         * List the review links to a split sheet
         * @description Native returns an empty list, because only the legacy core creates and revokes these links.
         */
        get: operations["tracks.split-sheet.share-links.list"];
        put?: never;
        /**
         * Create a review link to a split sheet
         * @description Creates a link that shows the split sheet to anyone who has it. Keep `token`: it is returned only once.
         */
        post: operations["tracks.split-sheet.share-links.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tracks/{trackId}/split-sheet/share-links/{linkId}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a track.
                 * @example trk_5b8e6a01
                 */
                trackId: components["parameters"]["trackId"];
                /**
                 * @description The id of a share link.
                 * @example lnk_30d7f85c
                 */
                linkId: components["parameters"]["linkId"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke a review link to a split sheet
         * @description The link stops working at once.
         */
        delete: operations["tracks.split-sheet.share-links.revoke"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/pack-links/{slug}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The slug of a pack link, the last part of its address.
                 * @example harbour-ep
                 */
                slug: components["parameters"]["slug"];
            };
            cookie?: never;
        };
        /**
         * Open a pack link
         * @description Returns the pack. Counts a view, unless the request is signed in as the pack's owner.
         */
        get: operations["pack-links.detail"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/pack-links/{slug}/presentation": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The slug of a pack link, the last part of its address.
                 * @example harbour-ep
                 */
                slug: components["parameters"]["slug"];
            };
            cookie?: never;
        };
        /**
         * Get what a pack link's page shows
         * @description Returns the pack. Counts a view, unless the request is signed in as the pack's owner.
         */
        get: operations["pack-links.presentation"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/pack-links/{slug}/share-events": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The slug of a pack link, the last part of its address.
                 * @example harbour-ep
                 */
                slug: components["parameters"]["slug"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Report an event on a pack's page
         * @description Counts what a visitor did. An empty body is a `shared` event.
         */
        post: operations["pack-links.share-events.record"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/pack-links/{slug}/tracks/{trackId}/playback-url": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The slug of a pack link, the last part of its address.
                 * @example harbour-ep
                 */
                slug: components["parameters"]["slug"];
                /**
                 * @description The id of a track.
                 * @example trk_5b8e6a01
                 */
                trackId: components["parameters"]["trackId"];
            };
            cookie?: never;
        };
        /**
         * Play a track from a pack link
         * @description Returns a signed URL for the audio, and counts a play. The URL supports range requests.
         */
        get: operations["pack-links.playback-url.issue"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/pack-links/{slug}/tracks/{trackId}/download-url": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The slug of a pack link, the last part of its address.
                 * @example harbour-ep
                 */
                slug: components["parameters"]["slug"];
                /**
                 * @description The id of a track.
                 * @example trk_5b8e6a01
                 */
                trackId: components["parameters"]["trackId"];
            };
            cookie?: never;
        };
        /**
         * Download a track from a pack link
         * @description Returns a signed URL to download the file, and counts a download.
         */
        get: operations["pack-links.download-url.issue"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/public/pack-links/{slug}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The slug of a pack link, the last part of its address.
                 * @example harbour-ep
                 */
                slug: components["parameters"]["slug"];
            };
            cookie?: never;
        };
        /**
         * Open a pack link without an account
         * @description Returns the pack. Counts a view, unless the request is signed in as the pack's owner.
         */
        get: operations["public.pack-links.detail"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/public/pack-links/{slug}/share-events": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The slug of a pack link, the last part of its address.
                 * @example harbour-ep
                 */
                slug: components["parameters"]["slug"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Report an event on a pack's page without an account
         * @description Counts what a visitor did. An empty body is a `shared` event.
         */
        post: operations["public.pack-links.share-events.record"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/public/pack-links/{slug}/tracks/{trackId}/playback-url": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The slug of a pack link, the last part of its address.
                 * @example harbour-ep
                 */
                slug: components["parameters"]["slug"];
                /**
                 * @description The id of a track.
                 * @example trk_5b8e6a01
                 */
                trackId: components["parameters"]["trackId"];
            };
            cookie?: never;
        };
        /**
         * Play a track from a pack link without an account
         * @description Returns a signed URL for the audio, and counts a play. The URL supports range requests.
         */
        get: operations["public.pack-links.playback-url.issue"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/public/pack-links/{slug}/tracks/{trackId}/download-url": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The slug of a pack link, the last part of its address.
                 * @example harbour-ep
                 */
                slug: components["parameters"]["slug"];
                /**
                 * @description The id of a track.
                 * @example trk_5b8e6a01
                 */
                trackId: components["parameters"]["trackId"];
            };
            cookie?: never;
        };
        /**
         * Download a track from a pack link without an account
         * @description Returns a signed URL to download the file, and counts a download.
         */
        get: operations["public.pack-links.download-url.issue"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/public/track-links/{token}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The token of a share link, the last part of its address. Keep it secret.
                 * @example q3Zt8mVb1xKpR5nYc7WfLd2HsJ9uEaG4oTi6BvXzQ0M
                 */
                token: components["parameters"]["token"];
            };
            cookie?: never;
        };
        /**
         * Open a share link to a track
         * @description Returns the track as its recipient sees it, and counts a view. A revoked, expired or unknown link returns 404.
         */
        get: operations["public.track-links.detail"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/public/track-links/{token}/playback-url": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The token of a share link, the last part of its address. Keep it secret.
                 * @example q3Zt8mVb1xKpR5nYc7WfLd2HsJ9uEaG4oTi6BvXzQ0M
                 */
                token: components["parameters"]["token"];
            };
            cookie?: never;
        };
        /**
         * Play a shared track
         * @description Returns a signed URL for the audio, and counts a play. The URL supports range requests.
         */
        get: operations["public.track-links.playback-url.issue"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/public/track-links/{token}/share-events": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The token of a share link, the last part of its address. Keep it secret.
                 * @example q3Zt8mVb1xKpR5nYc7WfLd2HsJ9uEaG4oTi6BvXzQ0M
                 */
                token: components["parameters"]["token"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Report an event on a track's page
         * @description Counts what a visitor did with the track. An empty body is a `shared` event.
         */
        post: operations["public.track-links.share-events.record"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/public/split-sheets/{token}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The token of a share link, the last part of its address. Keep it secret.
                 * @example q3Zt8mVb1xKpR5nYc7WfLd2HsJ9uEaG4oTi6BvXzQ0M
                 */
                token: components["parameters"]["token"];
            };
            cookie?: never;
        };
        /**
         * Open a review link to a split sheet
         * @description Returns the split sheet as a reviewer sees it. A revoked, expired or unknown link returns 404.
         */
        get: operations["public.split-sheets.detail"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/libraries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List your libraries
         * @description Returns the libraries the account owns, the most recently changed first. Without `limit`, it returns all of them.
         */
        get: operations["libraries.list"];
        put?: never;
        /**
         * Create a library
         * @description Creates an empty library. Its name must be unique among your libraries, ignoring case.
         */
        post: operations["libraries.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/libraries/shared-with-me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List libraries that others share with you
         * @description Returns the shared libraries the account has accepted; with `inviteStatus=pending`, those it can still accept.
         */
        get: operations["libraries.shared-with-me"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/libraries/{libraryId}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a library.
                 * @example lib_e8a54d71
                 */
                libraryId: components["parameters"]["libraryId"];
            };
            cookie?: never;
        };
        /**
         * Read a library
         * @description Returns a library with its counts. Its owner and everyone who has accepted a share can read it.
         */
        get: operations["libraries.detail"];
        put?: never;
        post?: never;
        /**
         * Delete a library
         * @description Deletes a library and its shares, but none of its tracks. Only its owner can do this.
         */
        delete: operations["libraries.remove"];
        options?: never;
        head?: never;
        /**
         * Rename or describe a library
         * @description Changes the fields you send. You must own the library or have `admin` access to it.
         */
        patch: operations["libraries.update"];
        trace?: never;
    };
    "/v1/libraries/{libraryId}/presentation": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a library.
                 * @example lib_e8a54d71
                 */
                libraryId: components["parameters"]["libraryId"];
            };
            cookie?: never;
        };
        /**
         * Get what a library's page shows
         * @description Returns the same record as `libraries.detail`.
         */
        get: operations["libraries.presentation"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/libraries/{libraryId}/tracks": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a library.
                 * @example lib_e8a54d71
                 */
                libraryId: components["parameters"]["libraryId"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Add a track to a library
         * @description Adds one of your own tracks or one of the library owner's. Adding it again returns the existing record.
         */
        post: operations["libraries.tracks.add"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/libraries/{libraryId}/tracks/{trackId}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a library.
                 * @example lib_e8a54d71
                 */
                libraryId: components["parameters"]["libraryId"];
                /**
                 * @description The id of a track.
                 * @example trk_5b8e6a01
                 */
                trackId: components["parameters"]["trackId"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove a track from a library
         * @description Removes the track from the library. The track itself remains.
         */
        delete: operations["libraries.tracks.remove"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/libraries/{libraryId}/shares": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a library.
                 * @example lib_e8a54d71
                 */
                libraryId: components["parameters"]["libraryId"];
            };
            cookie?: never;
        };
        /**
         * List the shares of a library
         * @description Returns all shares, including declined and revoked ones. Only the owner can read them.
         */
        get: operations["libraries.shares.list"];
        put?: never;
        /**
         * Invite a person to a library
         * @description Invites an account by `targetUserId` or a person by `email`. Send exactly one of the two.
         */
        post: operations["libraries.shares.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/libraries/{libraryId}/shares/{shareId}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a library.
                 * @example lib_e8a54d71
                 */
                libraryId: components["parameters"]["libraryId"];
                /**
                 * @description The id of a library share.
                 * @example shr_47c1a0e9
                 */
                shareId: string;
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke a share
         * @description The person loses access at once. Revoking the share again has no effect.
         */
        delete: operations["libraries.shares.revoke"];
        options?: never;
        head?: never;
        /**
         * Respond to an invitation, or change a share
         * @description The invited account sets `inviteStatus`; the owner sets `accessType`.
         */
        patch: operations["libraries.shares.update"];
        trace?: never;
    };
    "/v1/analytics/overview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read your engagement
         * @description Returns totals and daily counts for everything the account shares, by default for the last 30 days.
         */
        get: operations["analytics.overview"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/analytics/packs/{packId}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a pack.
                 * @example pck_d15f62a8
                 */
                packId: components["parameters"]["packId"];
            };
            cookie?: never;
        };
        /**
         * Read a pack's engagement
         * @description Returns totals and counts by link, source, country and day for a pack's links.
         */
        get: operations["analytics.packs.detail"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/analytics/tracks/{trackId}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a track.
                 * @example trk_5b8e6a01
                 */
                trackId: components["parameters"]["trackId"];
            };
            cookie?: never;
        };
        /**
         * Read a track's engagement
         * @description Returns totals and counts by link, source, country and day for a track's links.
         */
        get: operations["analytics.tracks.detail"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/analytics/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List engagement events
         * @description Returns what visitors did, newest first. No event identifies its visitor.
         */
        get: operations["analytics.events.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/catalog-analysis": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ask about your catalogue
         * @description Answers a question about the account's catalogue. A client that accepts `text/event-stream` receives the text while it is written. A question without `threadId` starts a new thread.
         */
        post: operations["catalog-analysis.ask"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/catalog-analysis/threads": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List your threads
         * @description Returns one page of the account's threads, the most recently changed first.
         */
        get: operations["catalog-analysis.threads.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/catalog-analysis/threads/{threadId}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a question-and-answer thread.
                 * @example thr_b91d3f70
                 */
                threadId: string;
            };
            cookie?: never;
        };
        /**
         * Read a thread
         * @description Returns the messages of a thread, oldest first.
         */
        get: operations["catalog-analysis.threads.detail"];
        put?: never;
        post?: never;
        /**
         * Delete a thread
         * @description Deletes a thread and its messages.
         */
        delete: operations["catalog-analysis.threads.remove"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tracks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List your tracks
         * @description Returns one page of the account's tracks, newest first.
         */
        get: operations["tracks.list"];
        put?: never;
        /**
         * Create a track
         * @description Creates a track without audio. Upload its first version next.
         */
        post: operations["tracks.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tracks/{trackId}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a track.
                 * @example trk_5b8e6a01
                 */
                trackId: components["parameters"]["trackId"];
            };
            cookie?: never;
        };
        /**
         * Read a track
         * @description Returns a track.
         */
        get: operations["tracks.detail"];
        put?: never;
        post?: never;
        /**
         * Delete a track
         * @description Deletes a track with its audio, and removes it from packs and libraries.
         */
        delete: operations["tracks.remove"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/packs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List your packs
         * @description Returns the account's packs, newest first. Without `limit`, it returns all of them.
         */
        get: operations["packs.list"];
        put?: never;
        /**
         * Create a pack
         * @description Creates an empty pack.
         */
        post: operations["packs.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/packs/{packId}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a pack.
                 * @example pck_d15f62a8
                 */
                packId: components["parameters"]["packId"];
            };
            cookie?: never;
        };
        /**
         * Read a pack
         * @description Returns a pack, including its track count.
         */
        get: operations["packs.detail"];
        put?: never;
        post?: never;
        /**
         * Delete a pack
         * @description Deletes a pack and its links, but not its tracks.
         */
        delete: operations["packs.remove"];
        options?: never;
        head?: never;
        /**
         * Change a pack's name or description
         * @description Changes the fields you send.
         */
        patch: operations["packs.update"];
        trace?: never;
    };
    "/v1/packs/{packId}/tracks": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a pack.
                 * @example pck_d15f62a8
                 */
                packId: components["parameters"]["packId"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Add a track to a pack
         * @description Adds a track at a position, by default at the end.
         */
        post: operations["packs.tracks.add"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/packs/{packId}/tracks/{trackId}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a pack.
                 * @example pck_d15f62a8
                 */
                packId: components["parameters"]["packId"];
                /**
                 * @description The id of a track.
                 * @example trk_5b8e6a01
                 */
                trackId: components["parameters"]["trackId"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove a track from a pack
         * @description Removes the track from the pack. The track itself remains.
         */
        delete: operations["packs.tracks.remove"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/packs/{packId}/tracks/order": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a pack.
                 * @example pck_d15f62a8
                 */
                packId: components["parameters"]["packId"];
            };
            cookie?: never;
        };
        get?: never;
        /**
         * Reorder the tracks of a pack
         * @description Sets the order of the tracks. The list must contain each of the pack's tracks once.
         */
        put: operations["packs.tracks.reorder"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/packs/{packId}/links": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a pack.
                 * @example pck_d15f62a8
                 */
                packId: components["parameters"]["packId"];
            };
            cookie?: never;
        };
        /**
         * List the links of a pack
         * @description Returns the pack's links, newest first, including revoked and expired ones. Without `limit`, it returns all of them.
         */
        get: operations["packs.links.list"];
        put?: never;
        /**
         * Create a link to a pack
         * @description Creates a link that anyone can open. If you set `accessCode`, only people who have the code can. If you leave out `slug`, the link gets one that cannot be guessed.
         */
        post: operations["packs.links.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/packs/{packId}/links/{linkId}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a pack.
                 * @example pck_d15f62a8
                 */
                packId: components["parameters"]["packId"];
                /**
                 * @description The id of a share link.
                 * @example lnk_30d7f85c
                 */
                linkId: components["parameters"]["linkId"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke a link to a pack
         * @description The link stops working at once.
         */
        delete: operations["packs.links.revoke"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/packs/{packId}/invitations": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a pack.
                 * @example pck_d15f62a8
                 */
                packId: components["parameters"]["packId"];
            };
            cookie?: never;
        };
        /**
         * List the invitations to a pack
         * @description Returns the invitations, newest first, with the delivery status of their e-mails. Without `limit`, it returns all of them.
         */
        get: operations["packs.invitations.list"];
        put?: never;
        /**
         * Invite a person to a pack by e-mail
         * @description Sends an e-mail with a link to the pack. The invitation's status follows the e-mail provider's reports.
         */
        post: operations["packs.invitations.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @enum {string} */
        AccessGrade: "viewer" | "editor" | "admin";
        ActiveLink: {
            name: string | null;
            /** @constant */
            status: "active";
            /** Format: date-time */
            expiresAt: string | null;
            /** Format: date-time */
            createdAt: string;
        };
        AnalysedTag: {
            category: components["schemas"]["TagCategory"];
            value: string;
            label?: string;
            /** @default null */
            numericValue?: number | null;
            /** @default null */
            confidence?: number | null;
        };
        Analysis: {
            threadId: string;
            messageId: string;
            answer: string;
            findings: components["schemas"]["Finding"][];
            citations: components["schemas"]["CatalogItem"][];
            model: "configured" | null;
            usage: {
                inputTokens: number;
                outputTokens: number;
                toolCalls: number;
            };
            /** Format: date-time */
            createdAt: string;
        };
        AnalysisCallback: {
            callbackId: string;
            dispatchId: string;
            /** @enum {string} */
            status: "succeeded" | "failed";
            results?: components["schemas"]["AnalysisResults"];
            error?: {
                code: string;
                message: string;
            };
        };
        AnalysisCallbackResult: {
            /** @constant */
            ok: true;
            /** @enum {string} */
            status: "applied" | "duplicate" | "stale";
        };
        AnalysisMessage: {
            messageId: string;
            /** @enum {string} */
            role: "user" | "assistant";
            text: string;
            findings?: components["schemas"]["Finding"][];
            citations?: components["schemas"]["CatalogItem"][];
            /** Format: date-time */
            createdAt: string;
        };
        AnalysisResults: {
            tags?: components["schemas"]["AnalysedTag"][];
            lyrics?: components["schemas"]["LyricsInput"];
            stems?: components["schemas"]["SeparatedStem"][];
            embeddings?: number[];
        };
        AnalysisThread: {
            threadId: string;
            title: string;
            messageCount: number;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
        };
        AnalysisThreadPage: {
            records: components["schemas"]["AnalysisThread"][];
            nextCursor: string | null;
        };
        AnalysisThreadWithMessages: {
            threadId: string;
            title: string;
            messages: components["schemas"]["AnalysisMessage"][];
        };
        AnalyticsOverview: {
            /** Format: date */
            from: string;
            /** Format: date */
            to: string;
            totals: components["schemas"]["Counts"];
            series: components["schemas"]["CountsOfDay"][];
        };
        ArtworkUpload: {
            fileName: string;
            byteSize: number;
            contentType: string;
        };
        AudioUpload: {
            fileName: string;
            byteSize: number;
            contentType: string;
        };
        BillingBadInput: {
            /** @enum {string} */
            error: "billing_bad_input";
            message?: string;
            /** @enum {string} */
            reason?: "already_subscribed" | "no_customer" | "no_subscription";
            availablePlanIds?: string[];
        };
        BillingEvent: {
            id: string;
            type: string;
            created: number;
        } & {
            [key: string]: unknown;
        };
        BillingEventResult: {
            /** @constant */
            received: true;
            /** @enum {string} */
            status: "processed" | "duplicate" | "ignored" | "stale" | "unresolved_owner";
            type: string;
        };
        BillingSession: {
            sessionId: string;
            /** Format: uri */
            url: string;
        };
        BillingStatus: {
            customerConfigured: boolean;
            planId: string;
            status: components["schemas"]["SubscriptionStatus"];
            billingCustomerId?: string;
            billingSubscriptionId?: string;
            availablePlanIds: string[];
            cancelAtPeriodEnd: boolean;
            /** Format: date-time */
            currentPeriodEnd: string | null;
        };
        CatalogItem: {
            /** @enum {string} */
            type: "track" | "pack" | "library" | "share";
            id: string;
            title: string;
        };
        ClicksOfCountry: {
            country: string | null;
            clicks: number;
        };
        CollectionSplit: {
            right: components["schemas"]["SplitRight"];
            percentage: number;
            territory: string;
        };
        CollectionSplitInput: {
            right: components["schemas"]["SplitRight"];
            percentage: number;
            /** @default WORLD */
            territory?: components["schemas"]["Territory"];
        };
        Counts: {
            views: number;
            plays: number;
            downloads: number;
            shares: number;
            clicks: number;
        };
        CountsOfDay: components["schemas"]["Counts"] & {
            /** Format: date */
            date: string;
        };
        CountsOfLink: components["schemas"]["CountsWithVisitors"] & {
            linkId: string;
            name: string | null;
        };
        CountsOfSource: {
            views: number;
            plays: number;
            downloads: number;
            shares: number;
            source: string;
        };
        CountsWithVisitors: components["schemas"]["Counts"] & {
            uniqueVisitors: number;
        };
        /** @enum {string} */
        DeliveryStatus: "queued" | "sent" | "delivery_delayed" | "delivered" | "opened" | "clicked" | "failed" | "suppressed" | "bounced" | "complained";
        /** @enum {string} */
        DocumentType: "contract" | "license" | "split_sheet" | "cue_sheet" | "lyric_sheet" | "other";
        DocumentUpload: {
            fileName: string;
            byteSize: number;
            contentType: string;
            /** @default null */
            title?: string | null;
            documentType?: components["schemas"]["DocumentType"];
        };
        DownloadUrl: {
            trackId: string;
            versionId: string | null;
            assetId: string;
            /** Format: uri */
            url: string;
            fileName: string;
            contentType: string;
            byteSize: number | null;
            /** Format: date-time */
            expiresAt: string;
        };
        EmailEvent: {
            type: string;
        } & {
            [key: string]: unknown;
        };
        EmailEventResult: {
            /** @constant */
            received: true;
            deliveryUpdated: boolean;
            type: string;
            status?: components["schemas"]["DeliveryStatus"];
            /** @enum {string} */
            reason?: "duplicate" | "delivery_not_found" | "ignored_event" | "no_change";
        };
        EngagementEvent: {
            id: string;
            type: string;
            /** Format: date-time */
            occurredAt: string;
            packId: string | null;
            trackId: string | null;
            /** @enum {string|null} */
            linkKind: "track" | "pack" | null;
            linkId: string | null;
            source: string | null;
            channel: string | null;
            positionMs: number | null;
            durationMs: number | null;
        };
        EngagementEventPage: {
            records: components["schemas"]["EngagementEvent"][];
            nextCursor: string | null;
        };
        EntitlementRequired: {
            /** @enum {string} */
            error: "entitlement_required";
            message?: string;
            /** @constant */
            code: "entitlement_required";
            feature: string;
            current: number | null;
            limit: number | null;
            planId: string;
            status: string;
            /** @constant */
            upgradeRequired: true;
        };
        /** @description Act on `error`, which is stable; more codes may be added. Show `message`, which may change; errors of the legacy core may have none. */
        Error: {
            error: string;
            message?: string;
        };
        FinalizedUpload: {
            uploadId: string;
            trackId: string;
            assetId: string;
            /** @constant */
            status: "finalized";
            /** @enum {string} */
            kind: "version" | "artwork" | "document";
            versionId?: string;
        };
        Finding: {
            kind: string;
            /** @enum {string} */
            severity: "info" | "warning" | "blocker";
            subject: components["schemas"]["CatalogItem"];
            message: string;
            action: string;
        };
        IngestionRun: {
            id: string;
            /** @enum {string} */
            trigger: "upload" | "retry" | "promote";
            /** @enum {string} */
            status: "queued" | "running" | "succeeded" | "failed";
            /** Format: date-time */
            startedAt: string | null;
            /** Format: date-time */
            completedAt: string | null;
            error: components["schemas"]["ProcessingFailure"] | null;
        };
        Issue: {
            path: string;
            message: string;
        };
        IssuedSplitSheetShareLink: components["schemas"]["SplitSheetShareLink"] & {
            token: string;
            sharePath: string;
        };
        IssuedTrackShareLink: components["schemas"]["TrackShareLink"] & {
            token: string;
            sharePath: string;
        };
        /** @enum {string} */
        Lane: "playback" | "waveform" | "tags" | "stems" | "lyrics" | "embeddings";
        LaneReadiness: {
            /** @enum {string} */
            status: "pending" | "processing" | "ready" | "failed" | "skipped";
            ready: boolean;
            /** Format: date-time */
            updatedAt: string | null;
        };
        Library: {
            id: string;
            name: string;
            description: string | null;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
        };
        LibraryList: {
            records: components["schemas"]["LibraryListRecord"][];
            nextCursor?: string | null;
        };
        LibraryListRecord: components["schemas"]["Library"] & {
            trackCount: number;
            shareCount: number;
        };
        LibraryShare: {
            id: string;
            libraryId: string;
            targetUserId: string | null;
            email: string | null;
            /** @enum {string} */
            accessType: "viewer" | "editor" | "admin" | "revoked";
            /** @enum {string} */
            inviteStatus: "pending" | "accepted" | "declined" | "revoked";
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
            /** Format: date-time */
            respondedAt: string | null;
            /** Format: date-time */
            revokedAt: string | null;
        };
        LibraryShareList: {
            records: components["schemas"]["LibraryShare"][];
            nextCursor?: string | null;
        };
        LibraryShareUpdate: {
            accessType?: components["schemas"]["AccessGrade"];
            /** @enum {string} */
            inviteStatus?: "accepted" | "declined";
        };
        LibraryTrack: {
            libraryId: string;
            trackId: string;
            position: number;
            /** Format: date-time */
            addedAt: string;
            track: {
                id: string;
                title: string;
                artist: string;
                durationMs: number | null;
            };
        };
        LibraryUpdate: {
            name?: string;
            description?: string | null;
        };
        LinkAnalytics: {
            totals: components["schemas"]["CountsWithVisitors"];
            byLink: components["schemas"]["CountsOfLink"][];
            bySource: components["schemas"]["CountsOfSource"][];
            byCountry: components["schemas"]["ClicksOfCountry"][];
            series: components["schemas"]["CountsOfDay"][];
        };
        LinkEvent: {
            event: string;
        } & {
            [key: string]: unknown;
        };
        LinkEventResult: {
            /** @constant */
            ok: true;
            /** @enum {string} */
            status: "stored" | "duplicate" | "ignored" | "unmapped";
            event?: string;
        };
        /** @enum {string} */
        LinkStatus: "active" | "revoked" | "expired";
        Lyrics: {
            trackId: string;
            text: string | null;
            language: string | null;
            lines: components["schemas"]["LyricsLine"][];
            /** @enum {string|null} */
            source: "user" | "ai" | "import" | null;
            /** @enum {string} */
            status: "none" | "processing" | "ready" | "failed";
            /** Format: date-time */
            createdAt: string | null;
            /** Format: date-time */
            updatedAt: string | null;
        };
        LyricsInput: {
            text?: string;
            /** @default null */
            language?: string | null;
            lines?: components["schemas"]["LyricsLineInput"][];
        } | unknown | unknown;
        LyricsLine: {
            startMs: number;
            endMs: number | null;
            text: string;
        };
        LyricsLineInput: {
            startMs: number;
            /** @default null */
            endMs?: number | null;
            text: string;
        };
        MediaAsset: {
            id: string;
            /** @enum {string} */
            kind: "artwork" | "document";
            fileName: string;
            contentType: string;
            byteSize: number;
            /** @enum {string} */
            status: "processing" | "ready" | "failed";
            isPrimary: boolean;
            width: number | null;
            height: number | null;
            documentType: components["schemas"]["DocumentType"] | null;
            title: string | null;
            /** Format: uri */
            url: string | null;
            /** Format: date-time */
            urlExpiresAt: string | null;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
        };
        MediaAssetList: {
            trackId: string;
            artwork: components["schemas"]["MediaAsset"][];
            documents: components["schemas"]["MediaAsset"][];
            nextCursor?: string | null;
        };
        NewLibrary: {
            name: string;
        };
        NewLibraryShare: {
            targetUserId: string;
            accessType: components["schemas"]["AccessGrade"];
        } | {
            email: string;
            accessType: components["schemas"]["AccessGrade"];
        };
        NewLibraryTrack: {
            trackId: string;
        };
        NewPack: {
            name: string;
            /** @default null */
            description?: string | null;
        };
        NewPackInvitation: {
            email: string;
        };
        NewPackLink: {
            name?: string;
            slug?: string;
            accessCode?: string;
            /** Format: date-time */
            expiresAt?: string;
            /** @default false */
            disableDownloads?: boolean;
        };
        NewPackTrack: {
            trackId: string;
            position?: number;
        };
        NewShareLink: {
            name?: string;
            /** Format: date-time */
            expiresAt?: string;
        };
        NewTrack: {
            title: string;
            artist: string;
            isrc?: string | null;
            iswc?: string | null;
            /**
             * Format: date
             * @default null
             */
            releaseDate?: string | null;
        };
        Pack: {
            id: string;
            name: string;
            description: string | null;
            trackCount: number;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
        };
        PackAnalytics: components["schemas"]["LinkAnalytics"] & {
            packId: string;
        };
        PackInvitation: {
            id: string;
            packId: string;
            email: string;
            status: components["schemas"]["DeliveryStatus"];
            /** Format: date-time */
            createdAt: string;
        };
        PackInvitationList: {
            records: components["schemas"]["PackInvitation"][];
            nextCursor?: string | null;
        };
        PackLink: {
            id: string;
            packId: string;
            slug: string;
            name: string | null;
            status: components["schemas"]["LinkStatus"];
            requiresAccessCode: boolean;
            downloadsEnabled: boolean;
            /** Format: date-time */
            expiresAt: string | null;
            /** Format: date-time */
            createdAt: string;
            sharePath: string;
        };
        PackLinkList: {
            records: components["schemas"]["PackLink"][];
            nextCursor?: string | null;
        };
        PackList: {
            records: components["schemas"]["Pack"][];
            nextCursor?: string | null;
        };
        PackPresentation: {
            link: {
                slug: string;
                name: string | null;
                /** Format: date-time */
                expiresAt: string | null;
                downloadsEnabled: boolean;
                requiresAccessCode: boolean;
            };
            pack: {
                id: string;
                name: string;
                description: string | null;
                /** Format: uri */
                artworkUrl: string | null;
                ownerDisplayName: string | null;
                trackCount: number;
                totalDurationMs: number;
                /** Format: date-time */
                createdAt: string;
            };
            tracks: components["schemas"]["PresentedTrack"][];
        };
        PackShareEvent: components["schemas"]["ShareEvent"] & {
            trackId?: string;
        };
        PackTrack: {
            packId: string;
            trackId: string;
            position: number;
            /** Format: date-time */
            addedAt: string;
        };
        PackTrackList: {
            records: components["schemas"]["PackTrack"][];
        };
        PackTrackOrder: {
            trackIds: string[];
        };
        PackUpdate: {
            name?: string;
            description?: string | null;
        };
        Peaks: {
            trackId: string;
            versionId: string;
            assetId: string;
            /** @constant */
            version: 2;
            channels: number;
            sampleRate: number;
            samplesPerPixel: number;
            /** @enum {number} */
            bits: 8 | 16;
            length: number;
            data: number[];
            durationMs: number;
            /** Format: date-time */
            createdAt: string;
            sample_rate?: number;
            samples_per_pixel?: number;
        };
        PendingCancellation: {
            status: components["schemas"]["SubscriptionStatus"];
            cancelAtPeriodEnd: boolean;
            /** Format: date-time */
            currentPeriodEnd: string | null;
        };
        PlanChange: components["schemas"]["SwitchedPlan"] | components["schemas"]["PlanCheckout"];
        PlanCheckout: components["schemas"]["BillingSession"] & {
            /** @constant */
            mode: "checkout";
        };
        PlanChoice: {
            planId: string;
            returnPath: string & (unknown & unknown);
        };
        PlaybackUrl: {
            trackId: string;
            versionId: string;
            assetId: string;
            /** Format: uri */
            url: string;
            contentType: string;
            byteSize: number | null;
            durationMs: number | null;
            /** Format: date-time */
            expiresAt: string;
        };
        PortalRequest: {
            returnPath: string & (unknown & unknown);
        };
        PresentedTrack: {
            id: string;
            position: number;
            title: string;
            artist: string;
            durationMs: number | null;
            /** Format: date */
            releaseDate: string | null;
            /** Format: uri */
            artworkUrl: string | null;
            downloadable: boolean;
        };
        ProcessingAsset: {
            id: string;
            kind: string;
            /** @enum {string} */
            status: "processing" | "ready" | "failed";
            versionId: string | null;
            contentType: string | null;
            byteSize: number | null;
            /** Format: date-time */
            createdAt: string;
        };
        ProcessingDispatch: {
            id: string;
            kind: string;
            /** @enum {string} */
            status: "queued" | "dispatched" | "running" | "succeeded" | "failed";
            attempt: number;
            /** Format: date-time */
            dispatchedAt: string | null;
            /** Format: date-time */
            completedAt: string | null;
            error: components["schemas"]["ProcessingFailure"] | null;
        };
        ProcessingFailure: {
            code: string;
            message: string;
        };
        ProcessingStage: {
            id: string;
            lane: components["schemas"]["Lane"];
            /** @enum {string} */
            status: "pending" | "queued" | "running" | "succeeded" | "failed" | "skipped";
            attempt: number;
            progress: number | null;
            /** Format: date-time */
            startedAt: string | null;
            /** Format: date-time */
            completedAt: string | null;
            error: components["schemas"]["ProcessingFailure"] | null;
            /** Format: date-time */
            updatedAt: string;
        };
        ProcessingStatus: {
            trackId: string;
            stages: components["schemas"]["ProcessingStage"][];
            assets: components["schemas"]["ProcessingAsset"][];
            remoteDispatches: components["schemas"]["ProcessingDispatch"][];
            ingestionRun?: components["schemas"]["IngestionRun"];
            readiness: {
                playback: components["schemas"]["LaneReadiness"];
                waveform: components["schemas"]["LaneReadiness"];
                tags: components["schemas"]["LaneReadiness"];
                stems: components["schemas"]["LaneReadiness"];
                lyrics: components["schemas"]["LaneReadiness"];
                embeddings: components["schemas"]["LaneReadiness"];
            };
        };
        /** @enum {string} */
        PublisherRole: "original_publisher" | "administrator" | "co_publisher";
        Question: {
            message: string;
            threadId?: string;
        };
        QuotaExceeded: {
            /** @enum {string} */
            error: "quota_exceeded";
            message: string;
            quota: components["schemas"]["QuotaName"];
            limit: number;
        };
        /** @enum {string} */
        QuotaName: "libraries" | "links" | "documents" | "versions" | "pending_upload_bytes";
        RetriedDispatch: {
            trackId: string;
            dispatchId: string;
            /** @constant */
            status: "dispatched";
        };
        Rights: {
            entries: components["schemas"]["RightsEntry"][];
            status: {
                /** @constant */
                isComplete: false;
                validationErrors: components["schemas"]["Issue"][];
                /** Format: date-time */
                validatedAt: string;
            };
        };
        RightsEntry: {
            collaboratorId: string;
            name: string;
            role: string | null;
            mechanical: number;
            performance: number;
            sync: number;
        };
        RunningDispatch: {
            trackId: string;
            dispatchId: string;
            /** @constant */
            status: "already_running";
        };
        SeparatedStem: {
            kind: components["schemas"]["StemKind"];
            label?: string;
            /** Format: uri */
            url: string;
            contentType: string;
            /** @default null */
            byteSize?: number | null;
            /** @default null */
            durationMs?: number | null;
        };
        ShareEvent: {
            visitorId?: string;
            sessionId?: string;
            source?: string;
            /**
             * @default shared
             * @enum {string}
             */
            eventType?: "shared" | "viewed" | "played" | "progress" | "completed";
            /** @enum {string} */
            channel?: "copy_link" | "native_share" | "email" | "sms" | "social" | "qr" | "embed" | "other";
            positionMs?: number;
            durationMs?: number;
        };
        ShareEventResult: {
            /** @constant */
            ok: true;
        };
        SharedLibrary: components["schemas"]["Library"] & {
            shareId: string;
            accessType: components["schemas"]["AccessGrade"];
        };
        SharedLibraryList: {
            records: components["schemas"]["SharedLibrary"][];
            nextCursor?: string | null;
        };
        SharedSplitSheet: {
            link: {
                name: string | null;
                /** @constant */
                status: "active";
                /** Format: date-time */
                expiresAt?: string;
                /** Format: date-time */
                createdAt: string;
                tokenPreview: string;
                trackId: string;
                /** Format: date-time */
                updatedAt: string;
            };
            splitSheet: components["schemas"]["SplitSheet"];
        };
        SharedTrack: {
            link: components["schemas"]["ActiveLink"];
            track: {
                id: string;
                title: string;
                artist: string;
                /** Format: date */
                releaseDate: string | null;
                durationMs: number | null;
                /** Format: uri */
                artworkUrl: string | null;
                /** Format: date-time */
                artworkUrlExpiresAt: string | null;
            };
        };
        /** @enum {string} */
        SplitRight: "mechanical" | "performance" | "sync" | "print" | "other";
        SplitSheet: {
            trackId: string;
            address: string;
            intendedUse: string;
            master: components["schemas"]["SplitSheetEntry"][];
            writers: components["schemas"]["SplitSheetEntry"][];
            publishers: components["schemas"]["SplitSheetPublisher"][];
            status: {
                isComplete: boolean;
                validationErrors: components["schemas"]["Issue"][];
                /** Format: date-time */
                validatedAt: string | null;
            };
            /** Format: date-time */
            createdAt: string | null;
            /** Format: date-time */
            updatedAt: string | null;
        };
        SplitSheetEntry: {
            collaboratorId: string;
            percentage: number;
            name: string | null;
            pro: string | null;
            ipi: string | null;
            role: string | null;
        };
        SplitSheetEntryInput: {
            collaboratorId: string;
            percentage: number;
        };
        SplitSheetInput: {
            /** @default  */
            address?: string;
            /** @default  */
            intendedUse?: string;
            master: components["schemas"]["SplitSheetEntryInput"][];
            writers: components["schemas"]["SplitSheetEntryInput"][];
            publishers?: components["schemas"]["SplitSheetPublisherInput"][];
        };
        SplitSheetPublisher: {
            collaboratorId: string;
            percentage: number;
            name: string | null;
            pro: string | null;
            ipi: string | null;
            writerCollaboratorId: string | null;
            role: components["schemas"]["PublisherRole"];
            territory: string;
            subPublishers: components["schemas"]["SplitSheetSubPublisher"][];
            collectionSplits: components["schemas"]["CollectionSplit"][];
        };
        SplitSheetPublisherInput: {
            collaboratorId: string;
            percentage: number;
            /** @default null */
            writerCollaboratorId?: string | null;
            /** @default original_publisher */
            role?: components["schemas"]["PublisherRole"];
            /** @default WORLD */
            territory?: components["schemas"]["Territory"];
            subPublishers?: components["schemas"]["SplitSheetSubPublisherInput"][];
            collectionSplits?: components["schemas"]["CollectionSplitInput"][];
        };
        SplitSheetShareLink: {
            id: string;
            trackId: string;
            name: string | null;
            status: components["schemas"]["LinkStatus"];
            tokenPreview: string;
            /** Format: date-time */
            expiresAt?: string;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
        };
        SplitSheetShareLinkList: {
            records: components["schemas"]["SplitSheetShareLink"][];
            nextCursor?: string | null;
        };
        SplitSheetStructuralValidationFailed: {
            /** @enum {string} */
            error: "split_sheet_structural_validation_failed";
            message?: string;
            issues: components["schemas"]["StructuralIssue"][];
        };
        SplitSheetSubPublisher: {
            collaboratorId: string;
            percentage: number;
            name: string | null;
            pro: string | null;
            ipi: string | null;
            territories: string[];
            collectionSplits: components["schemas"]["CollectionSplit"][];
        };
        SplitSheetSubPublisherInput: {
            collaboratorId: string;
            percentage: number;
            territories: components["schemas"]["Territory"][];
            collectionSplits?: components["schemas"]["CollectionSplitInput"][];
        };
        Stem: {
            id: string;
            kind: components["schemas"]["StemKind"];
            label: string;
            assetId: string;
            contentType: string;
            byteSize: number | null;
            durationMs: number | null;
            /** @enum {string} */
            source: "ai" | "upload";
            /** Format: date-time */
            createdAt: string;
        };
        StemKind: string;
        StemList: {
            trackId: string;
            /** @enum {string} */
            status: "none" | "queued" | "processing" | "ready" | "failed";
            stems: components["schemas"]["Stem"][];
            nextCursor?: string | null;
        };
        StructuralIssue: {
            path: string;
            message: string;
            /** @enum {string} */
            code: "master_total_mismatch" | "writers_total_mismatch" | "publishers_total_mismatch" | "publisher_writer_unknown" | "publisher_writer_exceeds_share" | "duplicate_collaborator" | "sub_publishers_exceed_parent" | "duplicate_collection_split";
            expected?: number;
            actual?: number;
        };
        /** @enum {string} */
        SubscriptionStatus: "active" | "canceled" | "free" | "incomplete" | "past_due" | "trialing" | "unpaid";
        SwitchedPlan: {
            /** @constant */
            mode: "switched";
            planId: string;
        };
        Tag: {
            id: string;
            category: components["schemas"]["TagCategory"];
            value: string;
            label: string;
            numericValue: number | null;
            confidence: number | null;
            source: string;
            hidden: boolean;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
        };
        TagCategory: string;
        Territory: string;
        Track: {
            id: string;
            title: string;
            artist: string;
            isrc: string | null;
            iswc: string | null;
            /** Format: date */
            releaseDate: string | null;
            durationMs: number | null;
            currentVersionId: string | null;
            /** @enum {string} */
            processingState: "pending" | "processing" | "ready" | "failed";
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
        };
        TrackAnalytics: components["schemas"]["LinkAnalytics"] & {
            trackId: string;
        };
        TrackPage: {
            records: components["schemas"]["Track"][];
            nextCursor: string | null;
        };
        TrackShareLink: {
            id: string;
            trackId: string;
            name: string | null;
            status: components["schemas"]["LinkStatus"];
            tokenPreview: string;
            /** Format: date-time */
            expiresAt: string | null;
            /** Format: date-time */
            revokedAt: string | null;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
        };
        TrackShareLinkList: {
            records: components["schemas"]["TrackShareLink"][];
            nextCursor?: string | null;
        };
        TrackTags: {
            trackId: string;
            tags: components["schemas"]["Tag"][];
            /** Format: date-time */
            updatedAt: string | null;
        };
        TrackUpdate: {
            title?: string;
            artist?: string;
            isrc?: string | null;
            iswc?: string | null;
            /** Format: date */
            releaseDate?: string | null;
        };
        UploadIntent: {
            uploadId: string;
            trackId: string;
            assetId: string;
            /** Format: uri */
            signedUrl: string;
            /** @constant */
            method: "PUT";
            /** Format: date-time */
            expiresAt: string;
            requiredHeaders: {
                [key: string]: string;
            };
            /** Format: uri */
            finalizeUrl: string;
        };
        ValidationError: {
            /** @enum {string} */
            error: "validation_error" | "validation_failed";
            message?: string;
            issues: components["schemas"]["Issue"][];
        };
        Version: {
            id: string;
            versionNumber: number;
            label: string | null;
            isOriginal: boolean;
            isCurrent: boolean;
            /** @enum {string} */
            status: "processing" | "ready" | "failed";
            fileName: string;
            contentType: string;
            byteSize: number | null;
            durationMs: number | null;
            sampleRate: number | null;
            channels: number | null;
            assetId: string;
            /** Format: date-time */
            createdAt: string;
        };
        VersionList: components["schemas"]["Versions"] & {
            nextCursor?: string | null;
        };
        Versions: {
            trackId: string;
            currentVersionId: string | null;
            versions: components["schemas"]["Version"][];
        };
    };
    responses: {
        /** @description `access_code_required`: This link needs an access code. Ask the sender for it, and send it as `accessCode`. */
        AccessCodeRequired: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `access_code_required`, `downloads_disabled`. */
        AccessCodeRequiredOrDownloadsDisabled: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `analysis_thread_not_found`: You have no thread with this id. Leave the id out to start a new one. */
        AnalysisThreadNotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `analytics_rate_limited`: Too many requests. Wait for `Retry-After` seconds. */
        AnalyticsRateLimited: {
            headers: {
                "retry-after": components["headers"]["retry-after"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `billing_bad_input`: The subscription does not allow this. See `reason` or `availablePlanIds`, and check the subscription at /v1/billing/status. */
        BillingBadInput: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["BillingBadInput"] | components["schemas"]["Error"];
            };
        };
        /** @description The session was created. */
        BillingSession: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "sessionId": "cs_a1B2c3",
                 *       "url": "https://billing.example.com/pay/cs_a1B2c3"
                 *     }
                 */
                "application/json": components["schemas"]["BillingSession"];
            };
        };
        /** @description The URL, which is valid until `expiresAt`. */
        DownloadUrl: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "trackId": "trk_5b8e6a01",
                 *       "versionId": "ver_93c7f0e4",
                 *       "assetId": "ast_1c84e95f",
                 *       "url": "https://storage.example.com/night-drive.wav?X-Amz-Signature=3f1c",
                 *       "fileName": "night-drive.wav",
                 *       "contentType": "audio/wav",
                 *       "byteSize": 35456044,
                 *       "expiresAt": "2026-10-29T10:30:00.000Z"
                 *     }
                 */
                "application/json": components["schemas"]["DownloadUrl"];
            };
        };
        /** @description `entitlement_required`: Your plan does not include this, or you have reached its limit. Upgrade the plan, or remove what you no longer need. */
        EntitlementRequired: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["EntitlementRequired"];
            };
        };
        /**
         * @description Any error that the operation does not list. Its status may be one that the operation does list. A status of 500 or more means that the service or a dependency has failed. If there is a `Retry-After` header, wait that long, then repeat the request.
         *
         *     `bad_request`, `request_timeout`, `expectation_failed`, `headers_too_large`, `internal_error`, `native_route_not_implemented`, `gateway_busy`.
         *
         *     Writes made with an account’s token may also return these errors, most of them only if the request has an `Idempotency-Key`.
         *
         *     `idempotency_in_progress`, `idempotency_key_reused`, `rate_limited`.
         */
        Error: {
            headers: {
                /** @description What produced the response: this gateway (`native`) or the legacy core (`proxy`). */
                "x-service-core-runtime": "native" | "proxy";
                /** @description The label of the route, which is its `operationId`; `unmatched` if no route matches. */
                "x-service-native-route": string;
                /** @description `1` if the core served the request as a fallback for native; otherwise `0`. */
                "x-service-proxy-fallback": "0" | "1";
                /** @description The `x-request-id` of the request if it is valid, otherwise a new id. */
                "x-request-id": string;
                /** @description `true` if this is the response to an earlier request that had the same idempotency key and was applied. */
                "idempotent-replayed"?: "true";
                /** @description What is left of each rate limit that applies: its name, `r` (requests left) and `t` (seconds until it resets). See draft-ietf-httpapi-ratelimit-headers. */
                ratelimit?: string;
                /** @description Each rate limit that applies: its name, `q` (requests allowed) and `w` (window in seconds). */
                "ratelimit-policy"?: string;
                "retry-after": components["headers"]["retry-after"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": "internal_error",
                 *       "message": "Something went wrong. Try again; if it happens again, send the operator the value of `x-request-id`."
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `forbidden`: You do not have permission to do this. Ask the owner for more access. */
        Forbidden: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `validation_error`, `invalid_json`, `billing_bad_input`. */
        InvalidBillingInput: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ValidationError"] | components["schemas"]["BillingBadInput"] | components["schemas"]["Error"];
            };
        };
        /** @description `validation_error`, `invalid_json`. */
        InvalidInput: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ValidationError"] | components["schemas"]["Error"];
            };
        };
        /** @description The library. */
        Library: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "id": "lib_e8a54d71",
                 *       "name": "Demos",
                 *       "description": null,
                 *       "createdAt": "2026-10-29T09:30:00.000Z",
                 *       "updatedAt": "2026-10-29T09:30:00.000Z"
                 *     }
                 */
                "application/json": components["schemas"]["Library"];
            };
        };
        /** @description The library. */
        LibraryListRecord: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "id": "lib_e8a54d71",
                 *       "name": "Demos",
                 *       "description": null,
                 *       "createdAt": "2026-10-29T09:30:00.000Z",
                 *       "updatedAt": "2026-10-29T09:30:00.000Z",
                 *       "trackCount": 1,
                 *       "shareCount": 1
                 *     }
                 */
                "application/json": components["schemas"]["LibraryListRecord"];
            };
        };
        /** @description `library_not_found`: You cannot access a library with this id. Check the id, or ask the owner to share the library. */
        LibraryNotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `library_not_found`, `library_share_not_found`. */
        LibraryOrShareNotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `library_not_found`, `track_not_found`. */
        LibraryOrTrackNotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The share. */
        LibraryShare: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "id": "shr_47c1a0e9",
                 *       "libraryId": "lib_e8a54d71",
                 *       "targetUserId": null,
                 *       "email": "ada@example.com",
                 *       "accessType": "editor",
                 *       "inviteStatus": "pending",
                 *       "createdAt": "2026-10-29T09:30:00.000Z",
                 *       "updatedAt": "2026-10-29T09:30:00.000Z",
                 *       "respondedAt": null,
                 *       "revokedAt": null
                 *     }
                 */
                "application/json": components["schemas"]["LibraryShare"];
            };
        };
        /** @description The lyrics; `status` is `none` if there are none. */
        Lyrics: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "trackId": "trk_5b8e6a01",
                 *       "text": "The harbour lights go out",
                 *       "language": "en",
                 *       "lines": [
                 *         {
                 *           "startMs": 12400,
                 *           "endMs": 15800,
                 *           "text": "The harbour lights go out"
                 *         }
                 *       ],
                 *       "source": "user",
                 *       "status": "ready",
                 *       "createdAt": "2026-10-29T09:30:00.000Z",
                 *       "updatedAt": "2026-10-29T09:30:00.000Z"
                 *     }
                 */
                "application/json": components["schemas"]["Lyrics"];
            };
        };
        /** @description The pack. */
        Pack: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Pack"];
            };
        };
        /** @description `pack_link_not_found`: This link does not work. Ask the sender for a new one. */
        PackLinkNotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `pack_link_not_found`, `track_not_found`, `playback_not_found`. */
        PackLinkOrPlaybackNotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `pack_link_not_found`, `track_not_found`. */
        PackLinkOrTrackNotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `pack_not_found`: You have no pack with this id. It may have been deleted. */
        PackNotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `pack_not_found`, `track_not_found`. */
        PackOrTrackNotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The pack and its tracks. */
        PackPresentation: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "link": {
                 *         "slug": "harbour-ep",
                 *         "name": "For the label",
                 *         "expiresAt": null,
                 *         "downloadsEnabled": true,
                 *         "requiresAccessCode": false
                 *       },
                 *       "pack": {
                 *         "id": "pck_d15f62a8",
                 *         "name": "Harbour EP",
                 *         "description": null,
                 *         "artworkUrl": null,
                 *         "ownerDisplayName": null,
                 *         "trackCount": 1,
                 *         "totalDurationMs": 201000,
                 *         "createdAt": "2026-10-29T09:30:00.000Z"
                 *       },
                 *       "tracks": [
                 *         {
                 *           "id": "trk_5b8e6a01",
                 *           "position": 0,
                 *           "title": "Night Drive",
                 *           "artist": "The Owls",
                 *           "durationMs": 201000,
                 *           "releaseDate": "2026-11-13",
                 *           "artworkUrl": null,
                 *           "downloadable": true
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["PackPresentation"];
            };
        };
        /** @description The URL, which is valid until `expiresAt`. */
        PlaybackUrl: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "trackId": "trk_5b8e6a01",
                 *       "versionId": "ver_93c7f0e4",
                 *       "assetId": "ast_1c84e95f",
                 *       "url": "https://storage.example.com/night-drive.wav?X-Amz-Signature=3f1c",
                 *       "contentType": "audio/wav",
                 *       "byteSize": 35456044,
                 *       "durationMs": 201000,
                 *       "expiresAt": "2026-10-29T10:30:00.000Z"
                 *     }
                 */
                "application/json": components["schemas"]["PlaybackUrl"];
            };
        };
        /** @description `quota_exceeded`: You have reached a limit (see `quota`). Remove what you no longer need and try again. */
        QuotaExceeded: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["QuotaExceeded"] | components["schemas"]["Error"];
            };
        };
        /** @description The event was accepted, whether or not it is counted. */
        ShareEventResult: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "ok": true
                 *     }
                 */
                "application/json": components["schemas"]["ShareEventResult"];
            };
        };
        /** @description The split sheet. */
        SplitSheet: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "trackId": "trk_5b8e6a01",
                 *       "address": "12 Quay Street, Bristol",
                 *       "intendedUse": "Album release",
                 *       "master": [
                 *         {
                 *           "collaboratorId": "ada",
                 *           "percentage": 100,
                 *           "name": null,
                 *           "role": null,
                 *           "pro": null,
                 *           "ipi": null
                 *         }
                 *       ],
                 *       "writers": [
                 *         {
                 *           "collaboratorId": "ada",
                 *           "percentage": 60,
                 *           "name": null,
                 *           "role": null,
                 *           "pro": null,
                 *           "ipi": null
                 *         },
                 *         {
                 *           "collaboratorId": "ben",
                 *           "percentage": 40,
                 *           "name": null,
                 *           "role": null,
                 *           "pro": null,
                 *           "ipi": null
                 *         }
                 *       ],
                 *       "publishers": [],
                 *       "status": {
                 *         "isComplete": true,
                 *         "validationErrors": [],
                 *         "validatedAt": "2026-10-29T09:30:00.000Z"
                 *       },
                 *       "createdAt": "2026-10-29T09:30:00.000Z",
                 *       "updatedAt": "2026-10-29T09:30:00.000Z"
                 *     }
                 */
                "application/json": components["schemas"]["SplitSheet"];
            };
        };
        /** @description The track. */
        Track: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Track"];
            };
        };
        /** @description `track_link_unavailable`: This link does not work. Ask the sender for a new one. */
        TrackLinkUnavailable: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `track_not_found`: You have no track with this id. It may have been deleted. */
        TrackNotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `track_not_found`, `share_link_not_found`. */
        TrackOrShareLinkNotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `track_not_found`, `version_not_found`. */
        TrackOrVersionNotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `unauthorized`: The access token is missing, invalid or expired. Sign in again and send the new token as `Authorization: Bearer`. */
        Unauthorized: {
            headers: {
                /** @description The authentication scheme that the route requires. */
                "www-authenticate"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The upload was created. Send the file before `expiresAt`. */
        UploadIntent: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "uploadId": "upl_6f0b3c91",
                 *       "trackId": "trk_5b8e6a01",
                 *       "assetId": "ast_1c84e95f",
                 *       "signedUrl": "https://storage.example.com/night-drive.wav?X-Amz-Signature=3f1c",
                 *       "method": "PUT",
                 *       "expiresAt": "2026-10-29T10:30:00.000Z",
                 *       "requiredHeaders": {
                 *         "content-type": "audio/wav"
                 *       },
                 *       "finalizeUrl": "https://api.example.com/v1/tracks/trk_5b8e6a01/uploads/upl_6f0b3c91/finalize"
                 *     }
                 */
                "application/json": components["schemas"]["UploadIntent"];
            };
        };
        /** @description `validation_error`: The input is not valid. Correct the fields in `issues` and send the request again. */
        ValidationError: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ValidationError"];
            };
        };
        /** @description `version_not_ready`: The version has not been processed yet, or the track has no audio. Wait until the version's status is `ready`, or upload a version first. */
        VersionNotReady: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The versions of the track. */
        Versions: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Versions"];
            };
        };
    };
    parameters: {
        /**
         * @description Use a new value for each action, and the same value when you retry the action within 24 hours. A request that was already applied is not applied again: you get its response once more.
         * @example 3b2f6c1e-5f0a-4a51-9d6f-0c7f4a7f9d11
         */
        IdempotencyKey: string;
        /**
         * @description The access code of the pack link, if its owner has set one.
         * @example harbour-2026
         */
        accessCode: string;
        /** @description The `nextCursor` of the previous page. Leave it out to get the first page. */
        cursor: string;
        /**
         * @description The first day of the report. By default, the report covers 30 days.
         * @example 2026-10-01
         */
        from: string;
        /**
         * @description The id of a library.
         * @example lib_e8a54d71
         */
        libraryId: string;
        /**
         * @description The maximum number of records in the response.
         * @example 20
         */
        "limit-default-50-maximum-200": number;
        /**
         * @description The maximum number of records in the response.
         * @example 20
         */
        "limit-maximum-100": number;
        /**
         * @description The id of a share link.
         * @example lnk_30d7f85c
         */
        linkId: string;
        /**
         * @description The id of a pack.
         * @example pck_d15f62a8
         */
        packId: string;
        /**
         * @description An id for the visit, used to count unique visitors. Longer values are truncated to 120 characters.
         * @example session-19
         */
        sessionId: string;
        /**
         * @description The slug of a pack link, the last part of its address.
         * @example harbour-ep
         */
        slug: string;
        /**
         * @description Where the visitor came from. Longer values are truncated to 120 characters.
         * @example newsletter
         */
        source: string;
        /**
         * @description The last day of the report. Defaults to today. A report covers at most 366 days.
         * @example 2026-10-31
         */
        to: string;
        /**
         * @description The token of a share link, the last part of its address. Keep it secret.
         * @example q3Zt8mVb1xKpR5nYc7WfLd2HsJ9uEaG4oTi6BvXzQ0M
         */
        token: string;
        /**
         * @description The id of a track.
         * @example trk_5b8e6a01
         */
        trackId: string;
        /**
         * @description The id of a version of the track.
         * @example ver_93c7f0e4
         */
        versionId: string;
        /**
         * @description Your page's id for the visitor. Longer values are truncated to 120 characters.
         * @example visitor-7
         */
        visitorId: string;
    };
    requestBodies: never;
    headers: {
        /** @description The URL of the new resource; relative if the service has no public base URL. */
        location: string;
        /** @description The number of seconds to wait before a retry. */
        "retry-after": number;
        /** @description The thread of questions and answers that the response belongs to. */
        "x-service-ai-thread-id": string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    "billing.status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The plan and the subscription. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "customerConfigured": true,
                     *       "planId": "pro",
                     *       "status": "active",
                     *       "billingCustomerId": "cus_R8w2",
                     *       "billingSubscriptionId": "sub_1QxT7a",
                     *       "availablePlanIds": [
                     *         "free",
                     *         "starter",
                     *         "pro"
                     *       ],
                     *       "cancelAtPeriodEnd": false,
                     *       "currentPeriodEnd": "2026-11-29T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["BillingStatus"];
                };
            };
            401: components["responses"]["Unauthorized"];
            default: components["responses"]["Error"];
        };
    };
    "billing.checkout": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Use a new value for each action, and the same value when you retry the action within 24 hours. A request that was already applied is not applied again: you get its response once more.
                 * @example 3b2f6c1e-5f0a-4a51-9d6f-0c7f4a7f9d11
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "planId": "pro",
                 *       "returnPath": "/settings/billing"
                 *     }
                 */
                "application/json": components["schemas"]["PlanChoice"];
            };
        };
        responses: {
            201: components["responses"]["BillingSession"];
            400: components["responses"]["InvalidBillingInput"];
            401: components["responses"]["Unauthorized"];
            409: components["responses"]["BillingBadInput"];
            default: components["responses"]["Error"];
        };
    };
    "billing.portal": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Use a new value for each action, and the same value when you retry the action within 24 hours. A request that was already applied is not applied again: you get its response once more.
                 * @example 3b2f6c1e-5f0a-4a51-9d6f-0c7f4a7f9d11
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "returnPath": "/settings/billing"
                 *     }
                 */
                "application/json": components["schemas"]["PortalRequest"];
            };
        };
        responses: {
            200: components["responses"]["BillingSession"];
            400: components["responses"]["InvalidBillingInput"];
            401: components["responses"]["Unauthorized"];
            409: components["responses"]["BillingBadInput"];
            default: components["responses"]["Error"];
        };
    };
    "billing.change-plan": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Use a new value for each action, and the same value when you retry the action within 24 hours. A request that was already applied is not applied again: you get its response once more.
                 * @example 3b2f6c1e-5f0a-4a51-9d6f-0c7f4a7f9d11
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "planId": "pro",
                 *       "returnPath": "/settings/billing"
                 *     }
                 */
                "application/json": components["schemas"]["PlanChoice"];
            };
        };
        responses: {
            /** @description `mode` is `switched` if the plan has changed, or `checkout` if the customer has to pay at `url` first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "mode": "switched",
                     *       "planId": "pro"
                     *     }
                     */
                    "application/json": components["schemas"]["PlanChange"];
                };
            };
            400: components["responses"]["InvalidBillingInput"];
            401: components["responses"]["Unauthorized"];
            409: components["responses"]["BillingBadInput"];
            default: components["responses"]["Error"];
        };
    };
    "billing.cancel": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Use a new value for each action, and the same value when you retry the action within 24 hours. A request that was already applied is not applied again: you get its response once more.
                 * @example 3b2f6c1e-5f0a-4a51-9d6f-0c7f4a7f9d11
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The subscription ends at `currentPeriodEnd`. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PendingCancellation"];
                };
            };
            401: components["responses"]["Unauthorized"];
            409: components["responses"]["BillingBadInput"];
            default: components["responses"]["Error"];
        };
    };
    "billing.resume": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Use a new value for each action, and the same value when you retry the action within 24 hours. A request that was already applied is not applied again: you get its response once more.
                 * @example 3b2f6c1e-5f0a-4a51-9d6f-0c7f4a7f9d11
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The subscription continues. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PendingCancellation"];
                };
            };
            401: components["responses"]["Unauthorized"];
            409: components["responses"]["BillingBadInput"];
            default: components["responses"]["Error"];
        };
    };
    "tracks.tags.detail": {
        parameters: {
            query?: {
                /**
                 * @description Whether to include hidden tags.
                 * @example true
                 */
                includeHidden?: "true" | "false";
            };
            header?: never;
            path: {
                /**
                 * @description The id of a track.
                 * @example trk_5b8e6a01
                 */
                trackId: components["parameters"]["trackId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The tags; the list may be empty. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "trackId": "trk_5b8e6a01",
                     *       "tags": [
                     *         {
                     *           "id": "evt_8f60d2c5",
                     *           "category": "mood",
                     *           "value": "calm",
                     *           "label": "Calm",
                     *           "numericValue": null,
                     *           "confidence": 0.82,
                     *           "source": "ai",
                     *           "hidden": false,
                     *           "createdAt": "2026-10-29T09:30:00.000Z",
                     *           "updatedAt": "2026-10-29T09:30:00.000Z"
                     *         }
                     *       ],
                     *       "updatedAt": "2026-10-29T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["TrackTags"];
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["TrackNotFound"];
            default: components["responses"]["Error"];
        };
    };
    "tracks.peaks.detail": {
        parameters: {
            query?: {
                /**
                 * @description Adds fields with the names that audiowaveform uses, so its libraries can load the response unchanged.
                 * @example audiowaveform
                 */
                format?: "audiowaveform";
                /**
                 * @description With `format`, the resolution of the peaks. Defaults to 8.
                 * @example 8
                 */
                bits?: "8" | "16";
            };
            header?: never;
            path: {
                /**
                 * @description The id of a track.
                 * @example trk_5b8e6a01
                 */
                trackId: components["parameters"]["trackId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The waveform. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "trackId": "trk_5b8e6a01",
                     *       "versionId": "ver_93c7f0e4",
                     *       "assetId": "ast_1c84e95f",
                     *       "version": 2,
                     *       "channels": 1,
                     *       "sampleRate": 44100,
                     *       "samplesPerPixel": 256,
                     *       "bits": 8,
                     *       "length": 3,
                     *       "data": [
                     *         -12,
                     *         14,
                     *         -65,
                     *         71,
                     *         -3,
                     *         5
                     *       ],
                     *       "durationMs": 201000,
                     *       "createdAt": "2026-10-29T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Peaks"];
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            /** @description `track_not_found`, `peaks_not_found`. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    "tracks.rights.detail": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a track.
                 * @example trk_5b8e6a01
                 */
                trackId: components["parameters"]["trackId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The empty placeholder. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "entries": [],
                     *       "status": {
                     *         "isComplete": false,
                     *         "validationErrors": [],
                     *         "validatedAt": "2026-10-29T09:30:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Rights"];
                };
            };
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["TrackNotFound"];
            default: components["responses"]["Error"];
        };
    };
    "tracks.lyrics.detail": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a track.
                 * @example trk_5b8e6a01
                 */
                trackId: components["parameters"]["trackId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["Lyrics"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["TrackNotFound"];
            default: components["responses"]["Error"];
        };
    };
    "tracks.lyrics.replace": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Use a new value for each action, and the same value when you retry the action within 24 hours. A request that was already applied is not applied again: you get its response once more.
                 * @example 3b2f6c1e-5f0a-4a51-9d6f-0c7f4a7f9d11
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /**
                 * @description The id of a track.
                 * @example trk_5b8e6a01
                 */
                trackId: components["parameters"]["trackId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "language": "en",
                 *       "lines": [
                 *         {
                 *           "startMs": 12400,
                 *           "endMs": 15800,
                 *           "text": "The harbour lights go out"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["LyricsInput"];
            };
        };
        responses: {
            200: components["responses"]["Lyrics"];
            400: components["responses"]["InvalidInput"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["TrackNotFound"];
            default: components["responses"]["Error"];
        };
    };
    "tracks.stems.list": {
        parameters: {
            query?: {
                /**
                 * @description The maximum number of records in the response.
                 * @example 20
                 */
                limit?: components["parameters"]["limit-maximum-100"];
                /** @description The `nextCursor` of the previous page. Leave it out to get the first page. */
                cursor?: components["parameters"]["cursor"];
            };
            header?: never;
            path: {
                /**
                 * @description The id of a track.
                 * @example trk_5b8e6a01
                 */
                trackId: components["parameters"]["trackId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The stems; the list may be empty. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "trackId": "trk_5b8e6a01",
                     *       "status": "ready",
                     *       "stems": [
                     *         {
                     *           "id": "stm_f7308ab6",
                     *           "kind": "vocals",
                     *           "label": "Vocals",
                     *           "assetId": "ast_1c84e95f",
                     *           "contentType": "audio/flac",
                     *           "byteSize": 18400312,
                     *           "durationMs": 201000,
                     *           "source": "ai",
                     *           "createdAt": "2026-10-29T09:30:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["StemList"];
                };
            };
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["TrackNotFound"];
            default: components["responses"]["Error"];
        };
    };
    "tracks.versions.list": {
        parameters: {
            query?: {
                /**
                 * @description The maximum number of records in the response.
                 * @example 20
                 */
                limit?: components["parameters"]["limit-maximum-100"];
                /** @description The `nextCursor` of the previous page. Leave it out to get the first page. */
                cursor?: components["parameters"]["cursor"];
            };
            header?: never;
            path: {
                /**
                 * @description The id of a track.
                 * @example trk_5b8e6a01
                 */
                trackId: components["parameters"]["trackId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The versions; the list may be empty. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VersionList"];
                };
            };
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["TrackNotFound"];
            default: components["responses"]["Error"];
        };
    };
    "tracks.media-assets.list": {
        parameters: {
            query?: {
                /**
                 * @description The maximum number of records in the response.
                 * @example 20
                 */
                limit?: components["parameters"]["limit-maximum-100"];
                /** @description The `nextCursor` of the previous page. Leave it out to get the first page. */
                cursor?: components["parameters"]["cursor"];
            };
            header?: never;
            path: {
                /**
                 * @description The id of a track.
                 * @example trk_5b8e6a01
                 */
                trackId: components["parameters"]["trackId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The artwork and the documents; either list may be empty. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "trackId": "trk_5b8e6a01",
                     *       "artwork": [
                     *         {
                     *           "id": "ast_1c84e95f",
                     *           "kind": "artwork",
                     *           "fileName": "cover.jpg",
                     *           "contentType": "image/jpeg",
                     *           "byteSize": 482133,
                     *           "status": "ready",
                     *           "isPrimary": true,
                     *           "width": 3000,
                     *           "height": 3000,
                     *           "documentType": null,
                     *           "title": null,
                     *           "url": "https://storage.example.com/cover.jpg?X-Amz-Signature=3f1c",
                     *           "urlExpiresAt": "2026-10-29T10:30:00.000Z",
                     *           "createdAt": "2026-10-29T09:30:00.000Z",
                     *           "updatedAt": "2026-10-29T09:30:00.000Z"
                     *         }
                     *       ],
                     *       "documents": []
                     *     }
                     */
                    "application/json": components["schemas"]["MediaAssetList"];
                };
            };
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["TrackNotFound"];
            default: components["responses"]["Error"];
        };
    };
    "tracks.split-sheet.detail": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a track.
                 * @example trk_5b8e6a01
                 */
                trackId: components["parameters"]["trackId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["SplitSheet"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["TrackNotFound"];
            default: components["responses"]["Error"];
        };
    };
    "tracks.split-sheet.replace": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Use a new value for each action, and the same value when you retry the action within 24 hours. A request that was already applied is not applied again: you get its response once more.
                 * @example 3b2f6c1e-5f0a-4a51-9d6f-0c7f4a7f9d11
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /**
                 * @description The id of a track.
                 * @example trk_5b8e6a01
                 */
                trackId: components["parameters"]["trackId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "address": "12 Quay Street, Bristol",
                 *       "intendedUse": "Album release",
                 *       "master": [
                 *         {
                 *           "collaboratorId": "ada",
                 *           "percentage": 100
                 *         }
                 *       ],
                 *       "writers": [
                 *         {
                 *           "collaboratorId": "ada",
                 *           "percentage": 60
                 *         },
                 *         {
                 *           "collaboratorId": "ben",
                 *           "percentage": 40
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["SplitSheetInput"];
            };
        };
        responses: {
            200: components["responses"]["SplitSheet"];
            400: components["responses"]["InvalidInput"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["TrackNotFound"];
            /** @description `split_sheet_structural_validation_failed`: The shares of the split sheet do not balance, so nothing was stored. Correct the problems in `issues`. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SplitSheetStructuralValidationFailed"] | components["schemas"]["Error"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    "tracks.metadata.update": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Use a new value for each action, and the same value when you retry the action within 24 hours. A request that was already applied is not applied again: you get its response once more.
                 * @example 3b2f6c1e-5f0a-4a51-9d6f-0c7f4a7f9d11
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /**
                 * @description The id of a track.
                 * @example trk_5b8e6a01
                 */
                trackId: components["parameters"]["trackId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "title": "Night Drive (Remastered)",
                 *       "iswc": "T-034.524.680-1"
                 *     }
                 */
                "application/json": components["schemas"]["TrackUpdate"];
            };
        };
        responses: {
            200: components["responses"]["Track"];
            400: components["responses"]["InvalidInput"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["TrackNotFound"];
            default: components["responses"]["Error"];
        };
    };
    "tracks.playback-url.issue": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a track.
                 * @example trk_5b8e6a01
                 */
                trackId: components["parameters"]["trackId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["PlaybackUrl"];
            401: components["responses"]["Unauthorized"];
            /** @description `track_not_found`, `playback_not_found`. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    "tracks.download-url.issue": {
        parameters: {
            query?: {
                /**
                 * @description The id of the file to download. Defaults to the current version's original.
                 * @example ast_1c84e95f
                 */
                assetId?: string;
            };
            header?: never;
            path: {
                /**
                 * @description The id of a track.
                 * @example trk_5b8e6a01
                 */
                trackId: components["parameters"]["trackId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["DownloadUrl"];
            401: components["responses"]["Unauthorized"];
            /** @description `track_not_found`, `playback_not_found`, `asset_not_found`. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    "tracks.processing.status": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a track.
                 * @example trk_5b8e6a01
                 */
                trackId: components["parameters"]["trackId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The state of each lane. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "trackId": "trk_5b8e6a01",
                     *       "stages": [],
                     *       "assets": [],
                     *       "remoteDispatches": [],
                     *       "readiness": {
                     *         "playback": {
                     *           "status": "ready",
                     *           "ready": true,
                     *           "updatedAt": "2026-10-29T09:30:00.000Z"
                     *         },
                     *         "waveform": {
                     *           "status": "ready",
                     *           "ready": true,
                     *           "updatedAt": "2026-10-29T09:30:00.000Z"
                     *         },
                     *         "tags": {
                     *           "status": "ready",
                     *           "ready": true,
                     *           "updatedAt": "2026-10-29T09:30:00.000Z"
                     *         },
                     *         "stems": {
                     *           "status": "ready",
                     *           "ready": true,
                     *           "updatedAt": "2026-10-29T09:30:00.000Z"
                     *         },
                     *         "lyrics": {
                     *           "status": "ready",
                     *           "ready": true,
                     *           "updatedAt": "2026-10-29T09:30:00.000Z"
                     *         },
                     *         "embeddings": {
                     *           "status": "ready",
                     *           "ready": true,
                     *           "updatedAt": "2026-10-29T09:30:00.000Z"
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ProcessingStatus"];
                };
            };
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["TrackNotFound"];
            default: components["responses"]["Error"];
        };
    };
    "tracks.processing.retry": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Use a new value for each action, and the same value when you retry the action within 24 hours. A request that was already applied is not applied again: you get its response once more.
                 * @example 3b2f6c1e-5f0a-4a51-9d6f-0c7f4a7f9d11
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /**
                 * @description The id of a track.
                 * @example trk_5b8e6a01
                 */
                trackId: components["parameters"]["trackId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description An analysis is already running. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "trackId": "trk_5b8e6a01",
                     *       "dispatchId": "dsp_2e9d04c7",
                     *       "status": "already_running"
                     *     }
                     */
                    "application/json": components["schemas"]["RunningDispatch"];
                };
            };
            /** @description The analysis was requested. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "trackId": "trk_5b8e6a01",
                     *       "dispatchId": "dsp_2e9d04c7",
                     *       "status": "dispatched"
                     *     }
                     */
                    "application/json": components["schemas"]["RetriedDispatch"];
                };
            };
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["TrackNotFound"];
            409: components["responses"]["VersionNotReady"];
            default: components["responses"]["Error"];
        };
    };
    "tracks.versions.upload": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Use a new value for each action, and the same value when you retry the action within 24 hours. A request that was already applied is not applied again: you get its response once more.
                 * @example 3b2f6c1e-5f0a-4a51-9d6f-0c7f4a7f9d11
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /**
                 * @description The id of a track.
                 * @example trk_5b8e6a01
                 */
                trackId: components["parameters"]["trackId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "fileName": "night-drive.wav",
                 *       "contentType": "audio/wav",
                 *       "byteSize": 35456044
                 *     }
                 */
                "application/json": components["schemas"]["AudioUpload"];
            };
        };
        responses: {
            201: components["responses"]["UploadIntent"];
            400: components["responses"]["InvalidInput"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["TrackNotFound"];
            409: components["responses"]["QuotaExceeded"];
            default: components["responses"]["Error"];
        };
    };
    "tracks.versions.promote": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Use a new value for each action, and the same value when you retry the action within 24 hours. A request that was already applied is not applied again: you get its response once more.
                 * @example 3b2f6c1e-5f0a-4a51-9d6f-0c7f4a7f9d11
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /**
                 * @description The id of a track.
                 * @example trk_5b8e6a01
                 */
                trackId: components["parameters"]["trackId"];
                /**
                 * @description The id of a version of the track.
                 * @example ver_93c7f0e4
                 */
                versionId: components["parameters"]["versionId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["Versions"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["TrackOrVersionNotFound"];
            409: components["responses"]["VersionNotReady"];
            default: components["responses"]["Error"];
        };
    };
    "tracks.versions.remove": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Use a new value for each action, and the same value when you retry the action within 24 hours. A request that was already applied is not applied again: you get its response once more.
                 * @example 3b2f6c1e-5f0a-4a51-9d6f-0c7f4a7f9d11
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /**
                 * @description The id of a track.
                 * @example trk_5b8e6a01
                 */
                trackId: components["parameters"]["trackId"];
                /**
                 * @description The id of a version of the track.
                 * @example ver_93c7f0e4
                 */
                versionId: components["parameters"]["versionId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["Versions"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["TrackOrVersionNotFound"];
            /** @description `original_version_cannot_be_deleted`: The original version cannot be deleted. Delete another version, or the whole track. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    "tracks.artwork.upload": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Use a new value for each action, and the same value when you retry the action within 24 hours. A request that was already applied is not applied again: you get its response once more.
                 * @example 3b2f6c1e-5f0a-4a51-9d6f-0c7f4a7f9d11
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /**
                 * @description The id of a track.
                 * @example trk_5b8e6a01
                 */
                trackId: components["parameters"]["trackId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "fileName": "cover.jpg",
                 *       "contentType": "image/jpeg",
                 *       "byteSize": 482133
                 *     }
                 */
                "application/json": components["schemas"]["ArtworkUpload"];
            };
        };
        responses: {
            201: components["responses"]["UploadIntent"];
            400: components["responses"]["InvalidInput"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["TrackNotFound"];
            409: components["responses"]["QuotaExceeded"];
            default: components["responses"]["Error"];
        };
    };
    "tracks.documents.upload": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Use a new value for each action, and the same value when you retry the action within 24 hours. A request that was already applied is not applied again: you get its response once more.
                 * @example 3b2f6c1e-5f0a-4a51-9d6f-0c7f4a7f9d11
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /**
                 * @description The id of a track.
                 * @example trk_5b8e6a01
                 */
                trackId: components["parameters"]["trackId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "fileName": "contract.pdf",
                 *       "contentType": "application/pdf",
                 *       "byteSize": 91842,
                 *       "title": "Recording contract",
                 *       "documentType": "contract"
                 *     }
                 */
                "application/json": components["schemas"]["DocumentUpload"];
            };
        };
        responses: {
            201: components["responses"]["UploadIntent"];
            400: components["responses"]["InvalidInput"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["TrackNotFound"];
            409: components["responses"]["QuotaExceeded"];
            default: components["responses"]["Error"];
        };
    };
    "tracks.uploads.finalize": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Use a new value for each action, and the same value when you retry the action within 24 hours. A request that was already applied is not applied again: you get its response once more.
                 * @example 3b2f6c1e-5f0a-4a51-9d6f-0c7f4a7f9d11
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /**
                 * @description The id of a track.
                 * @example trk_5b8e6a01
                 */
                trackId: components["parameters"]["trackId"];
                /**
                 * @description The id of an upload of the track.
                 * @example upl_6f0b3c91
                 */
                uploadId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file belongs to the track. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "uploadId": "upl_6f0b3c91",
                     *       "trackId": "trk_5b8e6a01",
                     *       "assetId": "ast_1c84e95f",
                     *       "status": "finalized",
                     *       "kind": "version",
                     *       "versionId": "ver_93c7f0e4"
                     *     }
                     */
                    "application/json": components["schemas"]["FinalizedUpload"];
                };
            };
            401: components["responses"]["Unauthorized"];
            /** @description `track_not_found`, `upload_not_found`. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `upload_object_missing`, `upload_size_mismatch`, `upload_content_type_mismatch`, `upload_expired`, `quota_exceeded`. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["QuotaExceeded"] | components["schemas"]["Error"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    "tracks.share-links.list": {
        parameters: {
            query?: {
                /**
                 * @description The maximum number of records in the response.
                 * @example 20
                 */
                limit?: components["parameters"]["limit-maximum-100"];
                /** @description The `nextCursor` of the previous page. Leave it out to get the first page. */
                cursor?: components["parameters"]["cursor"];
            };
            header?: never;
            path: {
                /**
                 * @description The id of a track.
                 * @example trk_5b8e6a01
                 */
                trackId: components["parameters"]["trackId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The links. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "records": [
                     *         {
                     *           "id": "lnk_30d7f85c",
                     *           "trackId": "trk_5b8e6a01",
                     *           "name": "For the radio",
                     *           "status": "active",
                     *           "tokenPreview": "zQ0M",
                     *           "expiresAt": null,
                     *           "revokedAt": null,
                     *           "createdAt": "2026-10-29T09:30:00.000Z",
                     *           "updatedAt": "2026-10-29T09:30:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["TrackShareLinkList"];
                };
            };
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["TrackNotFound"];
            default: components["responses"]["Error"];
        };
    };
    "tracks.share-links.create": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Use a new value for each action, and the same value when you retry the action within 24 hours. A request that was already applied is not applied again: you get its response once more.
                 * @example 3b2f6c1e-5f0a-4a51-9d6f-0c7f4a7f9d11
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /**
                 * @description The id of a track.
                 * @example trk_5b8e6a01
                 */
                trackId: components["parameters"]["trackId"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "name": "For the radio"
                 *     }
                 */
                "application/json": components["schemas"]["NewShareLink"];
            };
        };
        responses: {
            /** @description The link was created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IssuedTrackShareLink"];
                };
            };
            400: components["responses"]["InvalidInput"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["EntitlementRequired"];
            404: components["responses"]["TrackNotFound"];
            409: components["responses"]["QuotaExceeded"];
            default: components["responses"]["Error"];
        };
    };
    "tracks.share-links.reset": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Use a new value for each action, and the same value when you retry the action within 24 hours. A request that was already applied is not applied again: you get its response once more.
                 * @example 3b2f6c1e-5f0a-4a51-9d6f-0c7f4a7f9d11
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /**
                 * @description The id of a track.
                 * @example trk_5b8e6a01
                 */
                trackId: components["parameters"]["trackId"];
                /**
                 * @description The id of a share link.
                 * @example lnk_30d7f85c
                 */
                linkId: components["parameters"]["linkId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The link with its new token. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IssuedTrackShareLink"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["EntitlementRequired"];
            404: components["responses"]["TrackOrShareLinkNotFound"];
            /** @description `share_link_not_active`: The share link is revoked or expired. Create a new one. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    "tracks.share-links.revoke": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Use a new value for each action, and the same value when you retry the action within 24 hours. A request that was already applied is not applied again: you get its response once more.
                 * @example 3b2f6c1e-5f0a-4a51-9d6f-0c7f4a7f9d11
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /**
                 * @description The id of a track.
                 * @example trk_5b8e6a01
                 */
                trackId: components["parameters"]["trackId"];
                /**
                 * @description The id of a share link.
                 * @example lnk_30d7f85c
                 */
                linkId: components["parameters"]["linkId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The link is revoked. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["TrackOrShareLinkNotFound"];
            default: components["responses"]["Error"];
        };
    };
    "tracks.split-sheet.share-links.list": {
        parameters: {
            query?: {
                /**
                 * @description The maximum number of records in the response.
                 * @example 20
                 */
                limit?: components["parameters"]["limit-maximum-100"];
                /** @description The `nextCursor` of the previous page. Leave it out to get the first page. */
                cursor?: components["parameters"]["cursor"];
            };
            header?: never;
            path: {
                /**
                 * @description The id of a track.
                 * @example trk_5b8e6a01
                 */
                trackId: components["parameters"]["trackId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The links. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "records": []
                     *     }
                     */
                    "application/json": components["schemas"]["SplitSheetShareLinkList"];
                };
            };
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["TrackNotFound"];
            default: components["responses"]["Error"];
        };
    };
    "tracks.split-sheet.share-links.create": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Use a new value for each action, and the same value when you retry the action within 24 hours. A request that was already applied is not applied again: you get its response once more.
                 * @example 3b2f6c1e-5f0a-4a51-9d6f-0c7f4a7f9d11
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /**
                 * @description The id of a track.
                 * @example trk_5b8e6a01
                 */
                trackId: components["parameters"]["trackId"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "name": "For the writers"
                 *     }
                 */
                "application/json": components["schemas"]["NewShareLink"];
            };
        };
        responses: {
            /** @description The link was created. */
            201: {
                headers: {
                    location: components["headers"]["location"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "lnk_30d7f85c",
                     *       "trackId": "trk_5b8e6a01",
                     *       "name": "For the writers",
                     *       "status": "active",
                     *       "tokenPreview": "zQ0M",
                     *       "createdAt": "2026-10-29T09:30:00.000Z",
                     *       "updatedAt": "2026-10-29T09:30:00.000Z",
                     *       "token": "q3Zt8mVb1xKpR5nYc7WfLd2HsJ9uEaG4oTi6BvXzQ0M",
                     *       "sharePath": "/share/split-sheets/q3Zt8mVb1xKpR5nYc7WfLd2HsJ9uEaG4oTi6BvXzQ0M"
                     *     }
                     */
                    "application/json": components["schemas"]["IssuedSplitSheetShareLink"];
                };
            };
            400: components["responses"]["InvalidInput"];
            401: components["responses"]["Unauthorized"];
            /** @description `track_not_found`, `split_sheet_not_found`. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    "tracks.split-sheet.share-links.revoke": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Use a new value for each action, and the same value when you retry the action within 24 hours. A request that was already applied is not applied again: you get its response once more.
                 * @example 3b2f6c1e-5f0a-4a51-9d6f-0c7f4a7f9d11
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /**
                 * @description The id of a track.
                 * @example trk_5b8e6a01
                 */
                trackId: components["parameters"]["trackId"];
                /**
                 * @description The id of a share link.
                 * @example lnk_30d7f85c
                 */
                linkId: components["parameters"]["linkId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The link is revoked. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["TrackOrShareLinkNotFound"];
            default: components["responses"]["Error"];
        };
    };
    "pack-links.detail": {
        parameters: {
            query?: {
                /**
                 * @description Your page's id for the visitor. Longer values are truncated to 120 characters.
                 * @example visitor-7
                 */
                visitorId?: components["parameters"]["visitorId"];
                /**
                 * @description An id for the visit, used to count unique visitors. Longer values are truncated to 120 characters.
                 * @example session-19
                 */
                sessionId?: components["parameters"]["sessionId"];
                /**
                 * @description Where the visitor came from. Longer values are truncated to 120 characters.
                 * @example newsletter
                 */
                source?: components["parameters"]["source"];
                /**
                 * @description The access code of the pack link, if its owner has set one.
                 * @example harbour-2026
                 */
                accessCode?: components["parameters"]["accessCode"];
            };
            header?: never;
            path: {
                /**
                 * @description The slug of a pack link, the last part of its address.
                 * @example harbour-ep
                 */
                slug: components["parameters"]["slug"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["PackPresentation"];
            403: components["responses"]["AccessCodeRequired"];
            404: components["responses"]["PackLinkNotFound"];
            429: components["responses"]["AnalyticsRateLimited"];
            default: components["responses"]["Error"];
        };
    };
    "pack-links.presentation": {
        parameters: {
            query?: {
                /**
                 * @description Your page's id for the visitor. Longer values are truncated to 120 characters.
                 * @example visitor-7
                 */
                visitorId?: components["parameters"]["visitorId"];
                /**
                 * @description An id for the visit, used to count unique visitors. Longer values are truncated to 120 characters.
                 * @example session-19
                 */
                sessionId?: components["parameters"]["sessionId"];
                /**
                 * @description Where the visitor came from. Longer values are truncated to 120 characters.
                 * @example newsletter
                 */
                source?: components["parameters"]["source"];
                /**
                 * @description The access code of the pack link, if its owner has set one.
                 * @example harbour-2026
                 */
                accessCode?: components["parameters"]["accessCode"];
            };
            header?: never;
            path: {
                /**
                 * @description The slug of a pack link, the last part of its address.
                 * @example harbour-ep
                 */
                slug: components["parameters"]["slug"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["PackPresentation"];
            403: components["responses"]["AccessCodeRequired"];
            404: components["responses"]["PackLinkNotFound"];
            429: components["responses"]["AnalyticsRateLimited"];
            default: components["responses"]["Error"];
        };
    };
    "pack-links.share-events.record": {
        parameters: {
            query?: {
                /**
                 * @description The access code of the pack link, if its owner has set one.
                 * @example harbour-2026
                 */
                accessCode?: components["parameters"]["accessCode"];
            };
            header?: never;
            path: {
                /**
                 * @description The slug of a pack link, the last part of its address.
                 * @example harbour-ep
                 */
                slug: components["parameters"]["slug"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "eventType": "played",
                 *       "trackId": "trk_5b8e6a01",
                 *       "positionMs": 0,
                 *       "sessionId": "session-19"
                 *     }
                 */
                "application/json": components["schemas"]["PackShareEvent"];
            };
        };
        responses: {
            200: components["responses"]["ShareEventResult"];
            400: components["responses"]["InvalidInput"];
            403: components["responses"]["AccessCodeRequired"];
            404: components["responses"]["PackLinkOrTrackNotFound"];
            429: components["responses"]["AnalyticsRateLimited"];
            default: components["responses"]["Error"];
        };
    };
    "pack-links.playback-url.issue": {
        parameters: {
            query?: {
                /**
                 * @description Your page's id for the visitor. Longer values are truncated to 120 characters.
                 * @example visitor-7
                 */
                visitorId?: components["parameters"]["visitorId"];
                /**
                 * @description An id for the visit, used to count unique visitors. Longer values are truncated to 120 characters.
                 * @example session-19
                 */
                sessionId?: components["parameters"]["sessionId"];
                /**
                 * @description Where the visitor came from. Longer values are truncated to 120 characters.
                 * @example newsletter
                 */
                source?: components["parameters"]["source"];
                /**
                 * @description The access code of the pack link, if its owner has set one.
                 * @example harbour-2026
                 */
                accessCode?: components["parameters"]["accessCode"];
            };
            header?: never;
            path: {
                /**
                 * @description The slug of a pack link, the last part of its address.
                 * @example harbour-ep
                 */
                slug: components["parameters"]["slug"];
                /**
                 * @description The id of a track.
                 * @example trk_5b8e6a01
                 */
                trackId: components["parameters"]["trackId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["PlaybackUrl"];
            403: components["responses"]["AccessCodeRequired"];
            404: components["responses"]["PackLinkOrPlaybackNotFound"];
            429: components["responses"]["AnalyticsRateLimited"];
            default: components["responses"]["Error"];
        };
    };
    "pack-links.download-url.issue": {
        parameters: {
            query?: {
                /**
                 * @description Your page's id for the visitor. Longer values are truncated to 120 characters.
                 * @example visitor-7
                 */
                visitorId?: components["parameters"]["visitorId"];
                /**
                 * @description An id for the visit, used to count unique visitors. Longer values are truncated to 120 characters.
                 * @example session-19
                 */
                sessionId?: components["parameters"]["sessionId"];
                /**
                 * @description Where the visitor came from. Longer values are truncated to 120 characters.
                 * @example newsletter
                 */
                source?: components["parameters"]["source"];
                /**
                 * @description The access code of the pack link, if its owner has set one.
                 * @example harbour-2026
                 */
                accessCode?: components["parameters"]["accessCode"];
            };
            header?: never;
            path: {
                /**
                 * @description The slug of a pack link, the last part of its address.
                 * @example harbour-ep
                 */
                slug: components["parameters"]["slug"];
                /**
                 * @description The id of a track.
                 * @example trk_5b8e6a01
                 */
                trackId: components["parameters"]["trackId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["DownloadUrl"];
            403: components["responses"]["AccessCodeRequiredOrDownloadsDisabled"];
            404: components["responses"]["PackLinkOrPlaybackNotFound"];
            429: components["responses"]["AnalyticsRateLimited"];
            default: components["responses"]["Error"];
        };
    };
    "public.pack-links.detail": {
        parameters: {
            query?: {
                /**
                 * @description Your page's id for the visitor. Longer values are truncated to 120 characters.
                 * @example visitor-7
                 */
                visitorId?: components["parameters"]["visitorId"];
                /**
                 * @description An id for the visit, used to count unique visitors. Longer values are truncated to 120 characters.
                 * @example session-19
                 */
                sessionId?: components["parameters"]["sessionId"];
                /**
                 * @description Where the visitor came from. Longer values are truncated to 120 characters.
                 * @example newsletter
                 */
                source?: components["parameters"]["source"];
                /**
                 * @description The access code of the pack link, if its owner has set one.
                 * @example harbour-2026
                 */
                accessCode?: components["parameters"]["accessCode"];
            };
            header?: never;
            path: {
                /**
                 * @description The slug of a pack link, the last part of its address.
                 * @example harbour-ep
                 */
                slug: components["parameters"]["slug"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["PackPresentation"];
            403: components["responses"]["AccessCodeRequired"];
            404: components["responses"]["PackLinkNotFound"];
            429: components["responses"]["AnalyticsRateLimited"];
            default: components["responses"]["Error"];
        };
    };
    "public.pack-links.share-events.record": {
        parameters: {
            query?: {
                /**
                 * @description The access code of the pack link, if its owner has set one.
                 * @example harbour-2026
                 */
                accessCode?: components["parameters"]["accessCode"];
            };
            header?: never;
            path: {
                /**
                 * @description The slug of a pack link, the last part of its address.
                 * @example harbour-ep
                 */
                slug: components["parameters"]["slug"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "eventType": "played",
                 *       "trackId": "trk_5b8e6a01",
                 *       "positionMs": 0,
                 *       "sessionId": "session-19"
                 *     }
                 */
                "application/json": components["schemas"]["PackShareEvent"];
            };
        };
        responses: {
            200: components["responses"]["ShareEventResult"];
            400: components["responses"]["InvalidInput"];
            403: components["responses"]["AccessCodeRequired"];
            404: components["responses"]["PackLinkOrTrackNotFound"];
            429: components["responses"]["AnalyticsRateLimited"];
            default: components["responses"]["Error"];
        };
    };
    "public.pack-links.playback-url.issue": {
        parameters: {
            query?: {
                /**
                 * @description Your page's id for the visitor. Longer values are truncated to 120 characters.
                 * @example visitor-7
                 */
                visitorId?: components["parameters"]["visitorId"];
                /**
                 * @description An id for the visit, used to count unique visitors. Longer values are truncated to 120 characters.
                 * @example session-19
                 */
                sessionId?: components["parameters"]["sessionId"];
                /**
                 * @description Where the visitor came from. Longer values are truncated to 120 characters.
                 * @example newsletter
                 */
                source?: components["parameters"]["source"];
                /**
                 * @description The access code of the pack link, if its owner has set one.
                 * @example harbour-2026
                 */
                accessCode?: components["parameters"]["accessCode"];
            };
            header?: never;
            path: {
                /**
                 * @description The slug of a pack link, the last part of its address.
                 * @example harbour-ep
                 */
                slug: components["parameters"]["slug"];
                /**
                 * @description The id of a track.
                 * @example trk_5b8e6a01
                 */
                trackId: components["parameters"]["trackId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["PlaybackUrl"];
            403: components["responses"]["AccessCodeRequired"];
            404: components["responses"]["PackLinkOrPlaybackNotFound"];
            429: components["responses"]["AnalyticsRateLimited"];
            default: components["responses"]["Error"];
        };
    };
    "public.pack-links.download-url.issue": {
        parameters: {
            query?: {
                /**
                 * @description Your page's id for the visitor. Longer values are truncated to 120 characters.
                 * @example visitor-7
                 */
                visitorId?: components["parameters"]["visitorId"];
                /**
                 * @description An id for the visit, used to count unique visitors. Longer values are truncated to 120 characters.
                 * @example session-19
                 */
                sessionId?: components["parameters"]["sessionId"];
                /**
                 * @description Where the visitor came from. Longer values are truncated to 120 characters.
                 * @example newsletter
                 */
                source?: components["parameters"]["source"];
                /**
                 * @description The access code of the pack link, if its owner has set one.
                 * @example harbour-2026
                 */
                accessCode?: components["parameters"]["accessCode"];
            };
            header?: never;
            path: {
                /**
                 * @description The slug of a pack link, the last part of its address.
                 * @example harbour-ep
                 */
                slug: components["parameters"]["slug"];
                /**
                 * @description The id of a track.
                 * @example trk_5b8e6a01
                 */
                trackId: components["parameters"]["trackId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["DownloadUrl"];
            403: components["responses"]["AccessCodeRequiredOrDownloadsDisabled"];
            404: components["responses"]["PackLinkOrPlaybackNotFound"];
            429: components["responses"]["AnalyticsRateLimited"];
            default: components["responses"]["Error"];
        };
    };
    "public.track-links.detail": {
        parameters: {
            query?: {
                /**
                 * @description Your page's id for the visitor. Longer values are truncated to 120 characters.
                 * @example visitor-7
                 */
                visitorId?: components["parameters"]["visitorId"];
                /**
                 * @description An id for the visit, used to count unique visitors. Longer values are truncated to 120 characters.
                 * @example session-19
                 */
                sessionId?: components["parameters"]["sessionId"];
                /**
                 * @description Where the visitor came from. Longer values are truncated to 120 characters.
                 * @example newsletter
                 */
                source?: components["parameters"]["source"];
            };
            header?: never;
            path: {
                /**
                 * @description The token of a share link, the last part of its address. Keep it secret.
                 * @example q3Zt8mVb1xKpR5nYc7WfLd2HsJ9uEaG4oTi6BvXzQ0M
                 */
                token: components["parameters"]["token"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The track and its link. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "link": {
                     *         "name": "For the radio",
                     *         "status": "active",
                     *         "expiresAt": null,
                     *         "createdAt": "2026-10-29T09:30:00.000Z"
                     *       },
                     *       "track": {
                     *         "id": "trk_5b8e6a01",
                     *         "title": "Night Drive",
                     *         "artist": "The Owls",
                     *         "releaseDate": "2026-11-13",
                     *         "durationMs": 201000,
                     *         "artworkUrl": null,
                     *         "artworkUrlExpiresAt": null
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["SharedTrack"];
                };
            };
            404: components["responses"]["TrackLinkUnavailable"];
            429: components["responses"]["AnalyticsRateLimited"];
            default: components["responses"]["Error"];
        };
    };
    "public.track-links.playback-url.issue": {
        parameters: {
            query?: {
                /**
                 * @description Your page's id for the visitor. Longer values are truncated to 120 characters.
                 * @example visitor-7
                 */
                visitorId?: components["parameters"]["visitorId"];
                /**
                 * @description An id for the visit, used to count unique visitors. Longer values are truncated to 120 characters.
                 * @example session-19
                 */
                sessionId?: components["parameters"]["sessionId"];
                /**
                 * @description Where the visitor came from. Longer values are truncated to 120 characters.
                 * @example newsletter
                 */
                source?: components["parameters"]["source"];
            };
            header?: never;
            path: {
                /**
                 * @description The token of a share link, the last part of its address. Keep it secret.
                 * @example q3Zt8mVb1xKpR5nYc7WfLd2HsJ9uEaG4oTi6BvXzQ0M
                 */
                token: components["parameters"]["token"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["PlaybackUrl"];
            /** @description `track_link_unavailable`, `playback_not_found`. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["AnalyticsRateLimited"];
            default: components["responses"]["Error"];
        };
    };
    "public.track-links.share-events.record": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The token of a share link, the last part of its address. Keep it secret.
                 * @example q3Zt8mVb1xKpR5nYc7WfLd2HsJ9uEaG4oTi6BvXzQ0M
                 */
                token: components["parameters"]["token"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "eventType": "progress",
                 *       "positionMs": 30000,
                 *       "durationMs": 201000,
                 *       "sessionId": "session-19"
                 *     }
                 */
                "application/json": components["schemas"]["ShareEvent"];
            };
        };
        responses: {
            200: components["responses"]["ShareEventResult"];
            400: components["responses"]["InvalidInput"];
            404: components["responses"]["TrackLinkUnavailable"];
            429: components["responses"]["AnalyticsRateLimited"];
            default: components["responses"]["Error"];
        };
    };
    "public.split-sheets.detail": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The token of a share link, the last part of its address. Keep it secret.
                 * @example q3Zt8mVb1xKpR5nYc7WfLd2HsJ9uEaG4oTi6BvXzQ0M
                 */
                token: components["parameters"]["token"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The split sheet and its link. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "link": {
                     *         "name": "For the writers",
                     *         "status": "active",
                     *         "tokenPreview": "zQ0M",
                     *         "trackId": "trk_5b8e6a01",
                     *         "createdAt": "2026-10-29T09:30:00.000Z",
                     *         "updatedAt": "2026-10-29T09:30:00.000Z"
                     *       },
                     *       "splitSheet": {
                     *         "trackId": "trk_5b8e6a01",
                     *         "address": "12 Quay Street, Bristol",
                     *         "intendedUse": "Album release",
                     *         "master": [],
                     *         "writers": [],
                     *         "publishers": [],
                     *         "status": {
                     *           "isComplete": true,
                     *           "validationErrors": [],
                     *           "validatedAt": "2026-10-29T09:30:00.000Z"
                     *         },
                     *         "createdAt": "2026-10-29T09:30:00.000Z",
                     *         "updatedAt": "2026-10-29T09:30:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["SharedSplitSheet"];
                };
            };
            /** @description `split_sheet_link_not_found`: This link does not work. Ask the sender for a new one. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["AnalyticsRateLimited"];
            default: components["responses"]["Error"];
        };
    };
    "libraries.list": {
        parameters: {
            query?: {
                /**
                 * @description The maximum number of records in the response.
                 * @example 20
                 */
                limit?: components["parameters"]["limit-maximum-100"];
                /** @description The `nextCursor` of the previous page. Leave it out to get the first page. */
                cursor?: components["parameters"]["cursor"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The libraries. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "records": [
                     *         {
                     *           "id": "lib_e8a54d71",
                     *           "name": "Demos",
                     *           "description": null,
                     *           "createdAt": "2026-10-29T09:30:00.000Z",
                     *           "updatedAt": "2026-10-29T09:30:00.000Z",
                     *           "trackCount": 1,
                     *           "shareCount": 1
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["LibraryList"];
                };
            };
            401: components["responses"]["Unauthorized"];
            default: components["responses"]["Error"];
        };
    };
    "libraries.create": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Use a new value for each action, and the same value when you retry the action within 24 hours. A request that was already applied is not applied again: you get its response once more.
                 * @example 3b2f6c1e-5f0a-4a51-9d6f-0c7f4a7f9d11
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Demos"
                 *     }
                 */
                "application/json": components["schemas"]["NewLibrary"];
            };
        };
        responses: {
            201: components["responses"]["Library"];
            400: components["responses"]["InvalidInput"];
            401: components["responses"]["Unauthorized"];
            /** @description `library_name_conflict`, `quota_exceeded`. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["QuotaExceeded"] | components["schemas"]["Error"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    "libraries.shared-with-me": {
        parameters: {
            query?: {
                /**
                 * @description Which invitations to return.
                 * @example pending
                 */
                inviteStatus?: "accepted" | "pending";
                /**
                 * @description The maximum number of records in the response.
                 * @example 20
                 */
                limit?: components["parameters"]["limit-maximum-100"];
                /** @description The `nextCursor` of the previous page. Leave it out to get the first page. */
                cursor?: components["parameters"]["cursor"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The libraries, each with its share id and your access type. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "records": [
                     *         {
                     *           "id": "lib_e8a54d71",
                     *           "name": "Demos",
                     *           "description": null,
                     *           "createdAt": "2026-10-29T09:30:00.000Z",
                     *           "updatedAt": "2026-10-29T09:30:00.000Z",
                     *           "shareId": "shr_47c1a0e9",
                     *           "accessType": "editor"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["SharedLibraryList"];
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            default: components["responses"]["Error"];
        };
    };
    "libraries.detail": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a library.
                 * @example lib_e8a54d71
                 */
                libraryId: components["parameters"]["libraryId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["LibraryListRecord"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["LibraryNotFound"];
            default: components["responses"]["Error"];
        };
    };
    "libraries.remove": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Use a new value for each action, and the same value when you retry the action within 24 hours. A request that was already applied is not applied again: you get its response once more.
                 * @example 3b2f6c1e-5f0a-4a51-9d6f-0c7f4a7f9d11
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /**
                 * @description The id of a library.
                 * @example lib_e8a54d71
                 */
                libraryId: components["parameters"]["libraryId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The library was deleted. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["LibraryNotFound"];
            default: components["responses"]["Error"];
        };
    };
    "libraries.update": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Use a new value for each action, and the same value when you retry the action within 24 hours. A request that was already applied is not applied again: you get its response once more.
                 * @example 3b2f6c1e-5f0a-4a51-9d6f-0c7f4a7f9d11
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /**
                 * @description The id of a library.
                 * @example lib_e8a54d71
                 */
                libraryId: components["parameters"]["libraryId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Demos 2026",
                 *       "description": "Rough mixes for the label."
                 *     }
                 */
                "application/json": components["schemas"]["LibraryUpdate"];
            };
        };
        responses: {
            200: components["responses"]["Library"];
            400: components["responses"]["InvalidInput"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["LibraryNotFound"];
            /** @description `library_name_conflict`: You already have a library with this name. Choose a different one. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    "libraries.presentation": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a library.
                 * @example lib_e8a54d71
                 */
                libraryId: components["parameters"]["libraryId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["LibraryListRecord"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["LibraryNotFound"];
            default: components["responses"]["Error"];
        };
    };
    "libraries.tracks.add": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Use a new value for each action, and the same value when you retry the action within 24 hours. A request that was already applied is not applied again: you get its response once more.
                 * @example 3b2f6c1e-5f0a-4a51-9d6f-0c7f4a7f9d11
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /**
                 * @description The id of a library.
                 * @example lib_e8a54d71
                 */
                libraryId: components["parameters"]["libraryId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "trackId": "trk_5b8e6a01"
                 *     }
                 */
                "application/json": components["schemas"]["NewLibraryTrack"];
            };
        };
        responses: {
            /** @description The track is in the library. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "libraryId": "lib_e8a54d71",
                     *       "trackId": "trk_5b8e6a01",
                     *       "position": 0,
                     *       "addedAt": "2026-10-29T09:30:00.000Z",
                     *       "track": {
                     *         "id": "trk_5b8e6a01",
                     *         "title": "Night Drive",
                     *         "artist": "The Owls",
                     *         "durationMs": 201000
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["LibraryTrack"];
                };
            };
            400: components["responses"]["InvalidInput"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["LibraryOrTrackNotFound"];
            default: components["responses"]["Error"];
        };
    };
    "libraries.tracks.remove": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Use a new value for each action, and the same value when you retry the action within 24 hours. A request that was already applied is not applied again: you get its response once more.
                 * @example 3b2f6c1e-5f0a-4a51-9d6f-0c7f4a7f9d11
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /**
                 * @description The id of a library.
                 * @example lib_e8a54d71
                 */
                libraryId: components["parameters"]["libraryId"];
                /**
                 * @description The id of a track.
                 * @example trk_5b8e6a01
                 */
                trackId: components["parameters"]["trackId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The track was removed. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["LibraryOrTrackNotFound"];
            default: components["responses"]["Error"];
        };
    };
    "libraries.shares.list": {
        parameters: {
            query?: {
                /**
                 * @description The maximum number of records in the response.
                 * @example 20
                 */
                limit?: components["parameters"]["limit-maximum-100"];
                /** @description The `nextCursor` of the previous page. Leave it out to get the first page. */
                cursor?: components["parameters"]["cursor"];
            };
            header?: never;
            path: {
                /**
                 * @description The id of a library.
                 * @example lib_e8a54d71
                 */
                libraryId: components["parameters"]["libraryId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The shares. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "records": [
                     *         {
                     *           "id": "shr_47c1a0e9",
                     *           "libraryId": "lib_e8a54d71",
                     *           "targetUserId": null,
                     *           "email": "ada@example.com",
                     *           "accessType": "editor",
                     *           "inviteStatus": "pending",
                     *           "createdAt": "2026-10-29T09:30:00.000Z",
                     *           "updatedAt": "2026-10-29T09:30:00.000Z",
                     *           "respondedAt": null,
                     *           "revokedAt": null
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["LibraryShareList"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["LibraryNotFound"];
            default: components["responses"]["Error"];
        };
    };
    "libraries.shares.create": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Use a new value for each action, and the same value when you retry the action within 24 hours. A request that was already applied is not applied again: you get its response once more.
                 * @example 3b2f6c1e-5f0a-4a51-9d6f-0c7f4a7f9d11
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /**
                 * @description The id of a library.
                 * @example lib_e8a54d71
                 */
                libraryId: components["parameters"]["libraryId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "ada@example.com",
                 *       "accessType": "editor"
                 *     }
                 */
                "application/json": components["schemas"]["NewLibraryShare"];
            };
        };
        responses: {
            201: components["responses"]["LibraryShare"];
            400: components["responses"]["InvalidInput"];
            401: components["responses"]["Unauthorized"];
            /** @description `entitlement_required`, `forbidden`. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EntitlementRequired"] | components["schemas"]["Error"];
                };
            };
            404: components["responses"]["LibraryNotFound"];
            /** @description `library_share_conflict`: This person is already invited. Change the existing share instead. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    "libraries.shares.revoke": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Use a new value for each action, and the same value when you retry the action within 24 hours. A request that was already applied is not applied again: you get its response once more.
                 * @example 3b2f6c1e-5f0a-4a51-9d6f-0c7f4a7f9d11
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /**
                 * @description The id of a library.
                 * @example lib_e8a54d71
                 */
                libraryId: components["parameters"]["libraryId"];
                /**
                 * @description The id of a library share.
                 * @example shr_47c1a0e9
                 */
                shareId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The share was revoked. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["LibraryOrShareNotFound"];
            default: components["responses"]["Error"];
        };
    };
    "libraries.shares.update": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Use a new value for each action, and the same value when you retry the action within 24 hours. A request that was already applied is not applied again: you get its response once more.
                 * @example 3b2f6c1e-5f0a-4a51-9d6f-0c7f4a7f9d11
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /**
                 * @description The id of a library.
                 * @example lib_e8a54d71
                 */
                libraryId: components["parameters"]["libraryId"];
                /**
                 * @description The id of a library share.
                 * @example shr_47c1a0e9
                 */
                shareId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "accessType": "viewer"
                 *     }
                 */
                "application/json": components["schemas"]["LibraryShareUpdate"];
            };
        };
        responses: {
            200: components["responses"]["LibraryShare"];
            400: components["responses"]["InvalidInput"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["LibraryOrShareNotFound"];
            /** @description `library_share_not_active`, `library_share_conflict`. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    "analytics.overview": {
        parameters: {
            query?: {
                /**
                 * @description The first day of the report. By default, the report covers 30 days.
                 * @example 2026-10-01
                 */
                from?: components["parameters"]["from"];
                /**
                 * @description The last day of the report. Defaults to today. A report covers at most 366 days.
                 * @example 2026-10-31
                 */
                to?: components["parameters"]["to"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The report. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "from": "2026-10-01",
                     *       "to": "2026-10-31",
                     *       "totals": {
                     *         "views": 42,
                     *         "plays": 31,
                     *         "downloads": 4,
                     *         "shares": 2,
                     *         "clicks": 57
                     *       },
                     *       "series": [
                     *         {
                     *           "views": 42,
                     *           "plays": 31,
                     *           "downloads": 4,
                     *           "shares": 2,
                     *           "clicks": 57,
                     *           "date": "2026-10-29"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["AnalyticsOverview"];
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["AnalyticsRateLimited"];
            default: components["responses"]["Error"];
        };
    };
    "analytics.packs.detail": {
        parameters: {
            query?: {
                /**
                 * @description The first day of the report. By default, the report covers 30 days.
                 * @example 2026-10-01
                 */
                from?: components["parameters"]["from"];
                /**
                 * @description The last day of the report. Defaults to today. A report covers at most 366 days.
                 * @example 2026-10-31
                 */
                to?: components["parameters"]["to"];
            };
            header?: never;
            path: {
                /**
                 * @description The id of a pack.
                 * @example pck_d15f62a8
                 */
                packId: components["parameters"]["packId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The report. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "packId": "pck_d15f62a8",
                     *       "totals": {
                     *         "views": 42,
                     *         "plays": 31,
                     *         "downloads": 4,
                     *         "shares": 2,
                     *         "clicks": 57,
                     *         "uniqueVisitors": 19
                     *       },
                     *       "byLink": [],
                     *       "bySource": [],
                     *       "byCountry": [],
                     *       "series": []
                     *     }
                     */
                    "application/json": components["schemas"]["PackAnalytics"];
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["PackNotFound"];
            429: components["responses"]["AnalyticsRateLimited"];
            default: components["responses"]["Error"];
        };
    };
    "analytics.tracks.detail": {
        parameters: {
            query?: {
                /**
                 * @description The first day of the report. By default, the report covers 30 days.
                 * @example 2026-10-01
                 */
                from?: components["parameters"]["from"];
                /**
                 * @description The last day of the report. Defaults to today. A report covers at most 366 days.
                 * @example 2026-10-31
                 */
                to?: components["parameters"]["to"];
            };
            header?: never;
            path: {
                /**
                 * @description The id of a track.
                 * @example trk_5b8e6a01
                 */
                trackId: components["parameters"]["trackId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The report. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "trackId": "trk_5b8e6a01",
                     *       "totals": {
                     *         "views": 42,
                     *         "plays": 31,
                     *         "downloads": 4,
                     *         "shares": 2,
                     *         "clicks": 57,
                     *         "uniqueVisitors": 19
                     *       },
                     *       "byLink": [
                     *         {
                     *           "views": 42,
                     *           "plays": 31,
                     *           "downloads": 4,
                     *           "shares": 2,
                     *           "clicks": 57,
                     *           "uniqueVisitors": 19,
                     *           "linkId": "lnk_30d7f85c",
                     *           "name": "For the radio"
                     *         }
                     *       ],
                     *       "bySource": [
                     *         {
                     *           "views": 42,
                     *           "plays": 31,
                     *           "downloads": 4,
                     *           "shares": 2,
                     *           "source": "newsletter"
                     *         }
                     *       ],
                     *       "byCountry": [
                     *         {
                     *           "country": "DE",
                     *           "clicks": 57
                     *         }
                     *       ],
                     *       "series": [
                     *         {
                     *           "views": 42,
                     *           "plays": 31,
                     *           "downloads": 4,
                     *           "shares": 2,
                     *           "clicks": 57,
                     *           "date": "2026-10-29"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["TrackAnalytics"];
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["TrackNotFound"];
            429: components["responses"]["AnalyticsRateLimited"];
            default: components["responses"]["Error"];
        };
    };
    "analytics.events.list": {
        parameters: {
            query?: {
                /**
                 * @description The maximum number of records in the response.
                 * @example 20
                 */
                limit?: components["parameters"]["limit-default-50-maximum-200"];
                /** @description The `nextCursor` of the previous page. Leave it out to get the first page. */
                cursor?: components["parameters"]["cursor"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of events. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "records": [
                     *         {
                     *           "id": "evt_8f60d2c5",
                     *           "type": "track.played",
                     *           "occurredAt": "2026-10-29T09:30:00.000Z",
                     *           "packId": "pck_d15f62a8",
                     *           "trackId": "trk_5b8e6a01",
                     *           "linkKind": "pack",
                     *           "linkId": "lnk_30d7f85c",
                     *           "source": "newsletter",
                     *           "channel": null,
                     *           "positionMs": null,
                     *           "durationMs": null
                     *         }
                     *       ],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["EngagementEventPage"];
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["AnalyticsRateLimited"];
            default: components["responses"]["Error"];
        };
    };
    "catalog-analysis.ask": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "message": "What is missing before I can release my tracks?"
                 *     }
                 */
                "application/json": components["schemas"]["Question"];
            };
        };
        responses: {
            /** @description The answer, which is stored in its thread. */
            200: {
                headers: {
                    "x-service-ai-thread-id": components["headers"]["x-service-ai-thread-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "threadId": "thr_b91d3f70",
                     *       "messageId": "msg_05e8c6d4",
                     *       "answer": "One track has no ISRC: Night Drive [1].",
                     *       "findings": [
                     *         {
                     *           "kind": "missing_isrc",
                     *           "severity": "blocker",
                     *           "subject": {
                     *             "type": "track",
                     *             "id": "trk_5b8e6a01",
                     *             "title": "Night Drive"
                     *           },
                     *           "message": "Night Drive has no ISRC.",
                     *           "action": "Add the ISRC of the recording before it is released."
                     *         }
                     *       ],
                     *       "citations": [
                     *         {
                     *           "type": "track",
                     *           "id": "trk_5b8e6a01",
                     *           "title": "Night Drive"
                     *         }
                     *       ],
                     *       "model": "configured",
                     *       "usage": {
                     *         "inputTokens": 1840,
                     *         "outputTokens": 62,
                     *         "toolCalls": 2
                     *       },
                     *       "createdAt": "2026-10-29T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Analysis"];
                    /**
                     * @example event: finding
                     *     data: {"kind":"missing_isrc","severity":"blocker","subject":{"type":"track","id":"trk_5b8e6a01","title":"Night Drive"},"message":"Night Drive has no ISRC.","action":"Add the ISRC of the recording before it is released."}
                     */
                    "text/event-stream": string;
                };
            };
            400: components["responses"]["InvalidInput"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["EntitlementRequired"];
            404: components["responses"]["AnalysisThreadNotFound"];
            /** @description `analysis_rate_limited`: You have used up today's questions. Wait for `Retry-After` seconds. */
            429: {
                headers: {
                    "retry-after": components["headers"]["retry-after"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    "catalog-analysis.threads.list": {
        parameters: {
            query?: {
                /**
                 * @description The maximum number of records in the response.
                 * @example 20
                 */
                limit?: number;
                /** @description The `nextCursor` of the previous page. Leave it out to get the first page. */
                cursor?: components["parameters"]["cursor"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of threads. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "records": [
                     *         {
                     *           "threadId": "thr_b91d3f70",
                     *           "title": "What is missing before I can release my tracks?",
                     *           "messageCount": 2,
                     *           "createdAt": "2026-10-29T09:30:00.000Z",
                     *           "updatedAt": "2026-10-29T09:30:00.000Z"
                     *         }
                     *       ],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["AnalysisThreadPage"];
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            default: components["responses"]["Error"];
        };
    };
    "catalog-analysis.threads.detail": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a question-and-answer thread.
                 * @example thr_b91d3f70
                 */
                threadId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The thread with its messages. */
            200: {
                headers: {
                    "x-service-ai-thread-id": components["headers"]["x-service-ai-thread-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "threadId": "thr_b91d3f70",
                     *       "title": "What is missing before I can release my tracks?",
                     *       "messages": [
                     *         {
                     *           "messageId": "msg_05e8c6d4",
                     *           "role": "assistant",
                     *           "text": "One track has no ISRC: Night Drive [1].",
                     *           "citations": [
                     *             {
                     *               "type": "track",
                     *               "id": "trk_5b8e6a01",
                     *               "title": "Night Drive"
                     *             }
                     *           ],
                     *           "createdAt": "2026-10-29T09:30:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["AnalysisThreadWithMessages"];
                };
            };
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["AnalysisThreadNotFound"];
            default: components["responses"]["Error"];
        };
    };
    "catalog-analysis.threads.remove": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Use a new value for each action, and the same value when you retry the action within 24 hours. A request that was already applied is not applied again: you get its response once more.
                 * @example 3b2f6c1e-5f0a-4a51-9d6f-0c7f4a7f9d11
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /**
                 * @description The id of a question-and-answer thread.
                 * @example thr_b91d3f70
                 */
                threadId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The thread was deleted. */
            204: {
                headers: {
                    "x-service-ai-thread-id": components["headers"]["x-service-ai-thread-id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["AnalysisThreadNotFound"];
            default: components["responses"]["Error"];
        };
    };
    "tracks.list": {
        parameters: {
            query?: {
                /**
                 * @description The maximum number of records in the response.
                 * @example 20
                 */
                limit?: components["parameters"]["limit-default-50-maximum-200"];
                /** @description The `nextCursor` of the previous page. Leave it out to get the first page. */
                cursor?: components["parameters"]["cursor"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of tracks. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "records": [
                     *         {
                     *           "id": "trk_5b8e6a01",
                     *           "title": "Night Drive",
                     *           "artist": "The Owls",
                     *           "isrc": "GB-AYE-68-00023",
                     *           "iswc": null,
                     *           "releaseDate": "2026-11-13",
                     *           "durationMs": 201000,
                     *           "currentVersionId": "ver_93c7f0e4",
                     *           "processingState": "ready",
                     *           "createdAt": "2026-10-29T09:30:00.000Z",
                     *           "updatedAt": "2026-10-29T09:30:00.000Z"
                     *         }
                     *       ],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["TrackPage"];
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            default: components["responses"]["Error"];
        };
    };
    "tracks.create": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Use a new value for each action, and the same value when you retry the action within 24 hours. A request that was already applied is not applied again: you get its response once more.
                 * @example 3b2f6c1e-5f0a-4a51-9d6f-0c7f4a7f9d11
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "title": "Night Drive",
                 *       "artist": "The Owls",
                 *       "isrc": "GB-AYE-68-00023",
                 *       "releaseDate": "2026-11-13"
                 *     }
                 */
                "application/json": components["schemas"]["NewTrack"];
            };
        };
        responses: {
            /** @description The track was created. */
            201: {
                headers: {
                    location: components["headers"]["location"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Track"];
                };
            };
            400: components["responses"]["InvalidInput"];
            401: components["responses"]["Unauthorized"];
            default: components["responses"]["Error"];
        };
    };
    "tracks.detail": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a track.
                 * @example trk_5b8e6a01
                 */
                trackId: components["parameters"]["trackId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["Track"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["TrackNotFound"];
            default: components["responses"]["Error"];
        };
    };
    "tracks.remove": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Use a new value for each action, and the same value when you retry the action within 24 hours. A request that was already applied is not applied again: you get its response once more.
                 * @example 3b2f6c1e-5f0a-4a51-9d6f-0c7f4a7f9d11
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /**
                 * @description The id of a track.
                 * @example trk_5b8e6a01
                 */
                trackId: components["parameters"]["trackId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The track was deleted. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["TrackNotFound"];
            default: components["responses"]["Error"];
        };
    };
    "packs.list": {
        parameters: {
            query?: {
                /**
                 * @description The maximum number of records in the response.
                 * @example 20
                 */
                limit?: components["parameters"]["limit-maximum-100"];
                /** @description The `nextCursor` of the previous page. Leave it out to get the first page. */
                cursor?: components["parameters"]["cursor"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The packs. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "records": [
                     *         {
                     *           "id": "pck_d15f62a8",
                     *           "name": "Harbour EP",
                     *           "description": null,
                     *           "trackCount": 1,
                     *           "createdAt": "2026-10-29T09:30:00.000Z",
                     *           "updatedAt": "2026-10-29T09:30:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["PackList"];
                };
            };
            401: components["responses"]["Unauthorized"];
            default: components["responses"]["Error"];
        };
    };
    "packs.create": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Use a new value for each action, and the same value when you retry the action within 24 hours. A request that was already applied is not applied again: you get its response once more.
                 * @example 3b2f6c1e-5f0a-4a51-9d6f-0c7f4a7f9d11
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Harbour EP",
                 *       "description": "Four songs for the autumn."
                 *     }
                 */
                "application/json": components["schemas"]["NewPack"];
            };
        };
        responses: {
            /** @description The pack was created. */
            201: {
                headers: {
                    location: components["headers"]["location"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Pack"];
                };
            };
            400: components["responses"]["InvalidInput"];
            401: components["responses"]["Unauthorized"];
            default: components["responses"]["Error"];
        };
    };
    "packs.detail": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a pack.
                 * @example pck_d15f62a8
                 */
                packId: components["parameters"]["packId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["Pack"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["PackNotFound"];
            default: components["responses"]["Error"];
        };
    };
    "packs.remove": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Use a new value for each action, and the same value when you retry the action within 24 hours. A request that was already applied is not applied again: you get its response once more.
                 * @example 3b2f6c1e-5f0a-4a51-9d6f-0c7f4a7f9d11
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /**
                 * @description The id of a pack.
                 * @example pck_d15f62a8
                 */
                packId: components["parameters"]["packId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The pack was deleted. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["PackNotFound"];
            default: components["responses"]["Error"];
        };
    };
    "packs.update": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Use a new value for each action, and the same value when you retry the action within 24 hours. A request that was already applied is not applied again: you get its response once more.
                 * @example 3b2f6c1e-5f0a-4a51-9d6f-0c7f4a7f9d11
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /**
                 * @description The id of a pack.
                 * @example pck_d15f62a8
                 */
                packId: components["parameters"]["packId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Harbour"
                 *     }
                 */
                "application/json": components["schemas"]["PackUpdate"];
            };
        };
        responses: {
            200: components["responses"]["Pack"];
            400: components["responses"]["InvalidInput"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["PackNotFound"];
            default: components["responses"]["Error"];
        };
    };
    "packs.tracks.add": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Use a new value for each action, and the same value when you retry the action within 24 hours. A request that was already applied is not applied again: you get its response once more.
                 * @example 3b2f6c1e-5f0a-4a51-9d6f-0c7f4a7f9d11
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /**
                 * @description The id of a pack.
                 * @example pck_d15f62a8
                 */
                packId: components["parameters"]["packId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "trackId": "trk_5b8e6a01",
                 *       "position": 0
                 *     }
                 */
                "application/json": components["schemas"]["NewPackTrack"];
            };
        };
        responses: {
            /** @description The track, with its position in the pack. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "packId": "pck_d15f62a8",
                     *       "trackId": "trk_5b8e6a01",
                     *       "position": 0,
                     *       "addedAt": "2026-10-29T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["PackTrack"];
                };
            };
            400: components["responses"]["InvalidInput"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["PackOrTrackNotFound"];
            default: components["responses"]["Error"];
        };
    };
    "packs.tracks.remove": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Use a new value for each action, and the same value when you retry the action within 24 hours. A request that was already applied is not applied again: you get its response once more.
                 * @example 3b2f6c1e-5f0a-4a51-9d6f-0c7f4a7f9d11
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /**
                 * @description The id of a pack.
                 * @example pck_d15f62a8
                 */
                packId: components["parameters"]["packId"];
                /**
                 * @description The id of a track.
                 * @example trk_5b8e6a01
                 */
                trackId: components["parameters"]["trackId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The track was removed. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["PackOrTrackNotFound"];
            default: components["responses"]["Error"];
        };
    };
    "packs.tracks.reorder": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Use a new value for each action, and the same value when you retry the action within 24 hours. A request that was already applied is not applied again: you get its response once more.
                 * @example 3b2f6c1e-5f0a-4a51-9d6f-0c7f4a7f9d11
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /**
                 * @description The id of a pack.
                 * @example pck_d15f62a8
                 */
                packId: components["parameters"]["packId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "trackIds": [
                 *         "trk_5b8e6a01"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["PackTrackOrder"];
            };
        };
        responses: {
            /** @description The tracks in their new order. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "records": [
                     *         {
                     *           "packId": "pck_d15f62a8",
                     *           "trackId": "trk_5b8e6a01",
                     *           "position": 0,
                     *           "addedAt": "2026-10-29T09:30:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["PackTrackList"];
                };
            };
            400: components["responses"]["InvalidInput"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["PackNotFound"];
            /** @description `track_set_mismatch`: The order must name each of the pack's tracks exactly once. Read the pack again and send all its tracks. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    "packs.links.list": {
        parameters: {
            query?: {
                /**
                 * @description The maximum number of records in the response.
                 * @example 20
                 */
                limit?: components["parameters"]["limit-maximum-100"];
                /** @description The `nextCursor` of the previous page. Leave it out to get the first page. */
                cursor?: components["parameters"]["cursor"];
            };
            header?: never;
            path: {
                /**
                 * @description The id of a pack.
                 * @example pck_d15f62a8
                 */
                packId: components["parameters"]["packId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The links. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "records": [
                     *         {
                     *           "id": "lnk_30d7f85c",
                     *           "packId": "pck_d15f62a8",
                     *           "slug": "harbour-ep",
                     *           "name": "For the label",
                     *           "status": "active",
                     *           "requiresAccessCode": true,
                     *           "downloadsEnabled": false,
                     *           "expiresAt": null,
                     *           "createdAt": "2026-10-29T09:30:00.000Z",
                     *           "sharePath": "/share/packs/harbour-ep"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["PackLinkList"];
                };
            };
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["PackNotFound"];
            default: components["responses"]["Error"];
        };
    };
    "packs.links.create": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Use a new value for each action, and the same value when you retry the action within 24 hours. A request that was already applied is not applied again: you get its response once more.
                 * @example 3b2f6c1e-5f0a-4a51-9d6f-0c7f4a7f9d11
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /**
                 * @description The id of a pack.
                 * @example pck_d15f62a8
                 */
                packId: components["parameters"]["packId"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "name": "For the label",
                 *       "accessCode": "harbour-2026",
                 *       "disableDownloads": true
                 *     }
                 */
                "application/json": components["schemas"]["NewPackLink"];
            };
        };
        responses: {
            /** @description The link was created. */
            201: {
                headers: {
                    location: components["headers"]["location"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "lnk_30d7f85c",
                     *       "packId": "pck_d15f62a8",
                     *       "slug": "harbour-ep",
                     *       "name": "For the label",
                     *       "status": "active",
                     *       "requiresAccessCode": true,
                     *       "downloadsEnabled": false,
                     *       "expiresAt": null,
                     *       "createdAt": "2026-10-29T09:30:00.000Z",
                     *       "sharePath": "/share/packs/harbour-ep"
                     *     }
                     */
                    "application/json": components["schemas"]["PackLink"];
                };
            };
            400: components["responses"]["InvalidInput"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["PackNotFound"];
            /** @description `slug_conflict`: This slug is taken. Choose a different one, or leave it out. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    "packs.links.revoke": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Use a new value for each action, and the same value when you retry the action within 24 hours. A request that was already applied is not applied again: you get its response once more.
                 * @example 3b2f6c1e-5f0a-4a51-9d6f-0c7f4a7f9d11
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /**
                 * @description The id of a pack.
                 * @example pck_d15f62a8
                 */
                packId: components["parameters"]["packId"];
                /**
                 * @description The id of a share link.
                 * @example lnk_30d7f85c
                 */
                linkId: components["parameters"]["linkId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The link is revoked. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Unauthorized"];
            /** @description `pack_not_found`, `pack_link_not_found`. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    "packs.invitations.list": {
        parameters: {
            query?: {
                /**
                 * @description The maximum number of records in the response.
                 * @example 20
                 */
                limit?: components["parameters"]["limit-maximum-100"];
                /** @description The `nextCursor` of the previous page. Leave it out to get the first page. */
                cursor?: components["parameters"]["cursor"];
            };
            header?: never;
            path: {
                /**
                 * @description The id of a pack.
                 * @example pck_d15f62a8
                 */
                packId: components["parameters"]["packId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The invitations. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "records": [
                     *         {
                     *           "id": "evt_8f60d2c5",
                     *           "packId": "pck_d15f62a8",
                     *           "email": "ada@example.com",
                     *           "status": "queued",
                     *           "createdAt": "2026-10-29T09:30:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["PackInvitationList"];
                };
            };
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["PackNotFound"];
            default: components["responses"]["Error"];
        };
    };
    "packs.invitations.create": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Use a new value for each action, and the same value when you retry the action within 24 hours. A request that was already applied is not applied again: you get its response once more.
                 * @example 3b2f6c1e-5f0a-4a51-9d6f-0c7f4a7f9d11
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /**
                 * @description The id of a pack.
                 * @example pck_d15f62a8
                 */
                packId: components["parameters"]["packId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "ada@example.com"
                 *     }
                 */
                "application/json": components["schemas"]["NewPackInvitation"];
            };
        };
        responses: {
            /** @description The e-mail will be sent. */
            201: {
                headers: {
                    location: components["headers"]["location"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "evt_8f60d2c5",
                     *       "packId": "pck_d15f62a8",
                     *       "email": "ada@example.com",
                     *       "status": "queued",
                     *       "createdAt": "2026-10-29T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["PackInvitation"];
                };
            };
            400: components["responses"]["InvalidInput"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["PackNotFound"];
            default: components["responses"]["Error"];
        };
    };
}
