//! Users, their SCRAM credentials and roles
