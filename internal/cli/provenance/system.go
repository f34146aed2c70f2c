package provenance

// ci is one CI system: the variable that gives it away, and where it keeps what is recorded.
type ci struct {
	name, detect                     string
	id, number, kind, url, sha, pull string
}

// system records the CI system that runs us. One that users name themselves comes first.
func (r Request) system(env map[string]string) {
	for _, s := range systems(r.get("PULUMI_CI_SYSTEM")) {
		if r.get(s.detect) == "" {
			continue
		}
		env["ci.system"] = s.name
		for key, name := range map[string]string{
			"ci.build.id": s.id, "ci.build.number": s.number, "ci.build.type": s.kind, "ci.build.url": s.url,
			"ci.pr.headSHA": s.sha, "ci.pr.number": s.pull,
		} {
			if name != "" {
				set(env, key, r.get(name))
			}
		}
		if s.name == "GitHub Actions" && r.get("GITHUB_REPOSITORY") != "" && r.get(s.id) != "" {
			env["ci.build.url"] = "https://github.com/" + r.get("GITHUB_REPOSITORY") + "/actions/runs/" + r.get(s.id)
		}
		return
	}
}

func systems(own string) []ci {
	return []ci{
		{
			name: own, detect: "PULUMI_CI_SYSTEM", id: "PULUMI_CI_BUILD_ID", number: "PULUMI_CI_BUILD_NUMBER",
			kind: "PULUMI_CI_BUILD_TYPE", url: "PULUMI_CI_BUILD_URL", sha: "PULUMI_CI_PULL_REQUEST_SHA", pull: "PULUMI_PR_NUMBER",
		},
		{name: "GitHub Actions", detect: "GITHUB_ACTIONS", id: "GITHUB_RUN_ID", number: "GITHUB_RUN_NUMBER", kind: "GITHUB_EVENT_NAME", sha: "GITHUB_SHA"},
		{
			name: "GitLab CI/CD", detect: "GITLAB_CI", id: "CI_PIPELINE_ID", number: "CI_PIPELINE_IID", kind: "CI_PIPELINE_SOURCE",
			url: "CI_JOB_URL", sha: "CI_COMMIT_SHA", pull: "CI_MERGE_REQUEST_IID",
		},
		{name: "CircleCI", detect: "CIRCLECI", id: "CIRCLE_BUILD_NUM", url: "CIRCLE_BUILD_URL", sha: "CIRCLE_SHA1", pull: "CIRCLE_PR_NUMBER"},
		{name: "Jenkins", detect: "JENKINS_URL", id: "BUILD_NUMBER", kind: "BUILD_TAG", url: "BUILD_URL", sha: "GIT_COMMIT", pull: "CHANGE_ID"},
		{name: "Azure Pipelines", detect: "TF_BUILD", id: "BUILD_BUILDID", number: "BUILD_BUILDNUMBER", kind: "BUILD_REASON", sha: "BUILD_SOURCEVERSION"},
		{name: "Buildkite", detect: "BUILDKITE", id: "BUILDKITE_BUILD_ID", number: "BUILDKITE_BUILD_NUMBER", kind: "BUILDKITE_SOURCE", url: "BUILDKITE_BUILD_URL", sha: "BUILDKITE_COMMIT"},
		{name: "Atlassian Bitbucket Pipelines", detect: "BITBUCKET_COMMIT", id: "BITBUCKET_BUILD_NUMBER", sha: "BITBUCKET_COMMIT", pull: "BITBUCKET_PR_ID"},
		{name: "Travis CI", detect: "TRAVIS", id: "TRAVIS_JOB_ID", number: "TRAVIS_JOB_NUMBER", kind: "TRAVIS_EVENT_TYPE", url: "TRAVIS_BUILD_WEB_URL", sha: "TRAVIS_PULL_REQUEST_SHA"},
		{name: "Codefresh", detect: "CF_BUILD_URL", id: "CF_BUILD_ID", url: "CF_BUILD_URL", sha: "CF_REVISION", pull: "CF_PULL_REQUEST_NUMBER"},
		{name: "AppVeyor", detect: "APPVEYOR"},
		{name: "AWS CodeBuild", detect: "CODEBUILD_BUILD_ARN"},
		{name: "Drone", detect: "DRONE"},
		{name: "GoCD", detect: "GO_PIPELINE_LABEL"},
		{name: "Semaphore", detect: "SEMAPHORE"},
		{name: "TeamCity", detect: "TEAMCITY_VERSION"},
	}
}
