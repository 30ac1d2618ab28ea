export interface JobRecord {
  readonly type: 'job';
  /** The tenant. It may be left out if the deployment has no tenant claim. */
  readonly tenant?: string | undefined;
  /** Identifier of the job. */
  readonly id: string;
  /** Status of the job. */
  readonly status: 'published' | 'closed' | 'archived' | 'draft' | 'paused';
  /** How often the status was set. Like the members after it, it is history, as an export has it. */
  readonly version?: number | undefined;
  /** The status before the last change. */
  readonly previous_status?: 'published' | 'closed' | 'archived' | 'draft' | 'paused' | undefined;
  /** Orders the attempts of updates. */
  readonly fence?: number | undefined;
  /** When the status was changed last. */
  readonly status_changed_at?: string | undefined;
  /** The subject of the token that changed it. */
  readonly status_changed_by?: string | undefined;
  /** The same, as events have it. */
  readonly last_change_actor?: string | undefined;
  /** Identifier of the last change. */
  readonly last_change_id?: string | undefined;
}

export interface ApplicationRecord {
  readonly type: 'application';
  /** The tenant. It may be left out if the deployment has no tenant claim. */
  readonly tenant?: string | undefined;
  /** Identifier of the job. */
  readonly job_id: string;
  /** Identifier of the candidate. */
  readonly user_id: string;
  /** Candidate's name. */
  readonly name: string;
  /** Candidate's e-mail address. Without one, give an address under `.invalid` (RFC 2606). */
  readonly email: string;
  /** Telephone number in international format. */
  readonly phone?: string | null | undefined;
  /** Professional-network profile: host and path, without a scheme. */
  readonly linked_in?: string | null | undefined;
  /** City. */
  readonly city?: string | null | undefined;
  /** State or region. */
  readonly region?: string | null | undefined;
  /** Country. */
  readonly country?: string | null | undefined;
  /** Professional summary. */
  readonly summary?: string | null | undefined;
  /** Current or last job title. */
  readonly position?: string | null | undefined;
  /** Educational history. */
  readonly education?: readonly {
    /** School or university. */
    readonly institution?: string | null | undefined;
    /** Degree. */
    readonly degree?: string | null | undefined;
    /** Field of study. */
    readonly field_of_study?: string | null | undefined;
    /** YYYY, YYYY-MM or YYYY-MM-DD. */
    readonly start_date?: string | null | undefined;
    /** YYYY, YYYY-MM or YYYY-MM-DD. */
    readonly end_date?: string | null | undefined;
    /** Whether it is ongoing. */
    readonly current?: boolean | null | undefined;
    /** Location. */
    readonly location?: string | null | undefined;
    /** The candidate's description. */
    readonly description?: string | null | undefined;
  }[] | null | undefined;
  /** Professional experience. */
  readonly experience?: readonly {
    /** Job title. */
    readonly title?: string | null | undefined;
    /** Employer. */
    readonly company?: string | null | undefined;
    /** YYYY, YYYY-MM or YYYY-MM-DD. */
    readonly start_date?: string | null | undefined;
    /** YYYY, YYYY-MM or YYYY-MM-DD. */
    readonly end_date?: string | null | undefined;
    /** Whether it is ongoing. */
    readonly current?: boolean | null | undefined;
    /** Location. */
    readonly location?: string | null | undefined;
    /** The candidate's description. */
    readonly description?: string | null | undefined;
  }[] | null | undefined;
  /** Identifier of the current stage. */
  readonly stage_id: string;
  /** Title of the current stage. */
  readonly stage_title: string;
  /** Candidate's score. */
  readonly score?: number | null | undefined;
  /** A time of the years 0000 to 9999 in UTC. It is stored in UTC, with three decimals and a Z. */
  readonly created_at: string;
  /** An https:// or http:// address that a URL parser accepts, or the S3 URI of a file in filesBucket. */
  readonly resume_url?: string | null | undefined;
  /** An https:// or http:// address that a URL parser accepts, or the S3 URI of a file in filesBucket. */
  readonly video_url?: string | null | undefined;
  /** Evaluations. */
  readonly evaluations?: readonly {
    /** Identifier of the evaluation. */
    readonly id: string;
    readonly evaluator: {
      /** Identifier of the evaluator. */
      readonly id: string;
      /** Name of the evaluator. */
      readonly name?: string | null | undefined;
    };
    /** Identifier of the stage that was evaluated. */
    readonly stage_id?: string | null | undefined;
    /** Title of that stage. */
    readonly stage_title?: string | null | undefined;
    /** Recommendation. */
    readonly recommendation?: 'strong_yes' | 'yes' | 'no_decision' | 'no' | 'definitely_not' | null | undefined;
    /** Score given. */
    readonly score?: number | null | undefined;
    /** Comment. */
    readonly comment?: string | null | undefined;
    /** A time of the years 0000 to 9999 in UTC. It is stored in UTC, with three decimals and a Z. */
    readonly submitted_at?: string | null | undefined;
  }[] | null | undefined;
  /** When the application expires, in seconds since 1970. From then on, the API responds with 404. */
  readonly expires_at?: number | null | undefined;
  /** When the application was changed at its source, in milliseconds since 1970. Of two writes, the greater revision stays. */
  readonly revision?: number | undefined;
}

export interface RemovalRecord {
  readonly type: 'removal';
  /** The tenant. It may be left out if the deployment has no tenant claim. */
  readonly tenant?: string | undefined;
  /** Identifier of the job. */
  readonly job_id: string;
  /** Identifier of the candidate. */
  readonly user_id: string;
  readonly revision: number;
  /** When it expires, in seconds since 1970. */
  readonly expires_at: number;
}

export interface ErasureRecord {
  readonly type: 'erasure';
  /** The tenant. It may be left out if the deployment has no tenant claim. */
  readonly tenant?: string | undefined;
  /** Identifier of the candidate. */
  readonly user_id: string;
  readonly revision: number;
  /** When it expires, in seconds since 1970. */
  readonly expires_at: number;
}
