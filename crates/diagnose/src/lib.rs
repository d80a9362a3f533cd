//! Rules: a recording in, findings with evidence out
